import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { TestProgram } from '@sluice/test-kit/test-program';
import { admittedOf, Callers, CHOICES, sleep, sourcesOf, TIMEOUT_MS } from '../../../redis/test/faults/callers.js';
import { clusterStore } from '../../src/index.js';
import { newChannel } from '../channel.js';
import { PrimaryProcess } from '../programs/primary-process.js';

const options = { limit: 1000, window: '1h' } as const;

let program: TestProgram;
let primary: PrimaryProcess;
let channel: string;
let callers: Callers;

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, '../programs/primary.ts'));
});
afterAll(() => program.remove());

beforeEach(() => {
  channel = newChannel();
  primary = new PrimaryProcess(program.path, channel);
  callers = new Callers();
});
afterEach(async () => {
  await callers.close();
  await primary.kill();
});

const limiterBy = (onStoreError: (typeof CHOICES)[number]) =>
  createLimiter({
    ...options,
    store: callers.closeLater(clusterStore({ role: 'worker', channel, timeout: TIMEOUT_MS })),
    onStoreError,
  });

describe.each(CHOICES)('A primary that is frozen (SIGSTOP), under %s,', (onStoreError) => {
  it('is replaced within the deadline, charges nothing later, and decides soon after SIGCONT', async () => {
    await primary.run();
    const limiter = limiterBy(onStoreError);
    await callers.untilBack(limiter);
    primary.freeze();
    await sleep(20);
    const answers = await callers.askFor(limiter, 250);
    expect(sourcesOf(answers)).toEqual(new Set([onStoreError]));
    if (onStoreError === 'deny') expect(admittedOf(answers)).toBe(0);
    primary.thaw();
    await callers.untilBack(limiter);
    callers.expectAllInTime();
    // What was sent while it was stopped has come too late by now. Each answer by the primary has spent one unit.
    const spent = callers.answers.filter(({ source }) => source === 'store').length;
    expect((await limiter.peek('ann')).tightest.remaining).toBe(1000 - spent);
  });
});

it('A primary that is killed under load is replaced within the deadline, and the next one decides as soon as it has started', async () => {
  await primary.run();
  const limiter = limiterBy('deny');
  await callers.untilBack(limiter);
  const asked = callers.askFor(limiter, 250);
  await sleep(50);
  await primary.kill();
  expect(sourcesOf(await asked)).toEqual(new Set(['store', 'deny']));
  expect(sourcesOf(await callers.askFor(limiter, 50))).toEqual(new Set(['deny']));
  await primary.run();
  await callers.untilBack(limiter);
  callers.expectAllInTime();
});

it('A primary that is missing at the start is replaced, and decides when it has started', async () => {
  const limiter = limiterBy('local');
  expect(sourcesOf(await callers.askFor(limiter, 200))).toEqual(new Set(['local']));
  await primary.run();
  await callers.untilBack(limiter);
  callers.expectAllInTime();
});
