import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { TestProgram } from '@sluice/test-kit/test-program';

it('frees the slot of an answer that nobody can read any more', async () => {
  const program = await TestProgram.build(join(__dirname, 'processes/unread.ts'), 'esm');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program.path], { timeout: 20_000 });
    expect(JSON.parse(stdout)).toEqual({
      unread: 'SLUICE_REFUSED',
      readInPart: 'SLUICE_REFUSED',
      dropped: '200 3000000',
    });
  } finally {
    program.remove();
  }
}, 60_000);
