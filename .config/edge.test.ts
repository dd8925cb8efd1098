import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

it('A Worker with limits loads without Node, or where Node throws, without random numbers, clocks and timers, and then limits', async () => {
  // In a process of its own: Jest gives its tests other globals.
  const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, 'edge/in-a-page.mjs')]);
  const works = { isAsExpected: true, warnings: ['SLUICE_PROXY_UNTRUSTED'] };
  expect(JSON.parse(stdout)).toEqual({ ofNode: [], clocksRead: [], onTheWeb: works, onTheEdge: works });
}, 60_000);
