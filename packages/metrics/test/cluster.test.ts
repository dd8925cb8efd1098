import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestProgram } from '@sluice/test-kit/test-program';
import type { Ports } from './cluster/program.js';
import { parseText, sumOf } from './parse-text.js';

const TIMEOUT_MS = 120_000;
const REQUESTS = 200;
const LIMIT = 10;

let program: TestProgram;
let primary: ChildProcess;
let ports: Ports;

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'cluster/program.ts'));
  primary = fork(program.path, { execArgv: [] });
  [ports] = (await once(primary, 'message')) as [Ports];
}, TIMEOUT_MS);

afterAll(async () => {
  const exit = once(primary, 'exit');
  primary.disconnect();
  await exit;
  program.remove();
}, TIMEOUT_MS);

async function text(port: number, path = ''): Promise<readonly [status: number, text: string]> {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`, { headers: { connection: 'close' } });
  return [response.status, await response.text()];
}

async function scrape(port: number): Promise<ReadonlyMap<string, number>> {
  return parseText((await text(port, 'metrics'))[1]);
}

describe('a cluster of four workers', () => {
  it('shows exact counts by a port for each worker, and by the aggregator of the library', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < REQUESTS; i += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => text(ports.app)));
      statuses.push(...answers.map(([status]) => status));
    }
    const refused = statuses.filter((status) => status === 429).length;
    const own = await Promise.all(ports.workers.map(scrape));
    const all = await scrape(ports.aggregated);
    const decisions = own.map((series) => sumOf(series, 'sluice_decisions_total', { policy: 'api' }));
    // Each worker has some of the requests, and a limit of its own: they have no store in common.
    expect(decisions.every((count) => count > 0)).toBe(true);
    expect(refused).toBe(decisions.reduce((sum, count) => sum + Math.max(0, count - LIMIT), 0));
    expect(decisions.reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
    expect(sumOf(all, 'sluice_decisions_total', { policy: 'api' })).toBe(REQUESTS);
    expect(sumOf(all, 'sluice_decisions_total', { policy: 'api', outcome: 'refused' })).toBe(refused);
    // What is no sum stays what it is for one process.
    expect(sumOf(all, 'sluice_limit_quota', { policy: 'api' })).toBe(LIMIT);
    expect(sumOf(all, 'sluice_build_info')).toBe(1);
  });
});
