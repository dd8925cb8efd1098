import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import type { ReplayResult } from '../../src/replay/replay-result.js';
import { sluice } from '../test-io.js';
import { EXAMPLE_FORMAT, exampleLog } from './example/example-log.js';

const EXAMPLE = join(__dirname, 'example');
const folder = mkdtempSync(join(tmpdir(), 'sluice-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Replays a part of the example, and returns the result. */
async function replayed(lines: readonly string[], ...options: readonly string[]): Promise<ReplayResult> {
  const log = join(folder, 'access.log');
  writeFileSync(log, `${lines.join('\n')}\n`);
  const args = [join(EXAMPLE, 'sluice.yaml'), log, '--log-format', EXAMPLE_FORMAT, '--json', ...options];
  const { out, err, exitCode } = await sluice(['replay', ...args], { clock: new ManualClock() });
  expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
  return JSON.parse(out) as ReplayResult;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Each number that is shown in two places is the same in both. */
function expectToAddUp(result: ReplayResult): void {
  const { requests, policies, timeline, clients, refusedAnswers, changes, sweeps } = result;
  expect(sum(timeline.map((point) => point.requests))).toBe(requests.seen);
  expect(sum(timeline.map((point) => point.refused))).toBe(requests.refused);
  expect(sum(policies.map((policy) => policy.requests.refused))).toBe(requests.refused);
  expect(clients.seen).toBeLessThanOrEqual(sum(policies.map((policy) => policy.keys.seen)));
  expect(refusedAnswers.well + refusedAnswers.withError).toBe(requests.refused);
  if (changes) {
    const before = sum(timeline.map((point) => point.refusedAgainst ?? 0));
    expect(before + changes.newlyRefused - changes.newlyAllowed).toBe(requests.refused);
  }
  for (const { points } of sweeps) {
    const refused = points.map((point) => point.requestsRefused);
    expect(refused).toEqual([...refused].sort((a, b) => b - a));
  }
}

describe('the example', () => {
  it('has numbers that add up, as the stored result has', async () => {
    const against = ['--against', join(EXAMPLE, 'old.yaml'), '--sweep', 'free.minute.limit=20,60,200'];
    const result = await replayed(exampleLog(4), ...against);
    expect(result.lines).toMatchObject({ unparsed: 0 });
    expect(Math.min(result.requests.refused, result.changes?.newlyRefused ?? 0)).toBeGreaterThan(0);
    expectToAddUp(result);
    expectToAddUp(JSON.parse(readFileSync(join(EXAMPLE, 'result.json'), 'utf8')) as ReplayResult);
  });
});
