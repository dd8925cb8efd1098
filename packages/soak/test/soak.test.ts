import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';

/** Long enough for a few faults. `npm run proof -- soak` runs for half an hour. */
const FOR = '4s';

it(`A soak of ${FOR} finds nothing wrong, and says what it has seen`, async () => {
  const soak = spawn(process.execPath, [join(__dirname, '../run.mjs'), '--for', FOR, '--rate', '10', '--seed', '7'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(soak.stdout), text(soak.stderr), once(soak, 'exit')]);
  expect(err).toBe('');
  expect(code).toBe(0);
  for (const what of ['keys; ', ' 0 failed', 'faults: ', '0 windows above what is promised', 'not judged'])
    expect(out).toContain(what);
});
