import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

/** Returns the path of a file that is not there yet, in an empty folder, which goes after the tests of this file. */
export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sqlite-'));
  folders.push(folder);
  return join(folder, 'limits.db');
}

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
