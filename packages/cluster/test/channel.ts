import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-test-'));
let channels = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the path of a socket that no other test has. */
export function newChannel(): string {
  channels += 1;
  return join(folder, `${channels}`);
}
