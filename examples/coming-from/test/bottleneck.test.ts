import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Line, SluiceError } from '@sluice/core';
import { createClient } from '../src/bottleneck.js';
import { describeOnEachStore } from './each-store.js';
import { until } from './until.js';

describeOnEachStore((stage) => {
  let line: Line<string>;
  let startMs: number;
  let calls: { readonly tenant: string; readonly atMs: number; end(): void }[];

  beforeEach(() => {
    line = createClient(stage.store);
    startMs = stage.clock.now();
    calls = [];
  });

  afterEach(() => line.close());

  /** A call to the API that lasts until it is ended. */
  const call = (tenant: string): Promise<string> =>
    line.run(
      tenant,
      () =>
        new Promise((resolve) => {
          calls.push({ tenant, atMs: stage.clock.now() - startMs, end: () => resolve(`answer to ${tenant}`) });
        }),
    );

  /** Lets time pass in small steps, until so many calls have begun. */
  async function untilCalls(count: number): Promise<void> {
    await until(() => {
      if (calls.length < count) stage.clock.advance('10ms');
      return calls.length >= count;
    });
  }

  it('bottleneck: calls of a tenant are 100 ms apart, and two at once', async () => {
    const answers = [call('ann'), call('ann'), call('ann')];
    await untilCalls(2);
    expect(calls[1]?.atMs).toBeGreaterThanOrEqual(100);
    for (let i = 0; i < 50; i += 1) {
      stage.clock.advance('10ms');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(calls).toHaveLength(2); // maxConcurrent
    calls[0]?.end();
    await untilCalls(3);
    for (const { end } of calls) end();
    expect(await Promise.all(answers)).toEqual(Array(3).fill('answer to ann'));
  });

  it('bottleneck: one tenant does not wait for another', async () => {
    const answers = [call('ann'), call('ann'), call('bob')];
    await until(() => calls.length === 2);
    expect(calls.map(({ tenant }) => tenant).sort()).toEqual(['ann', 'bob']);
    for (const { end } of calls) end();
    await untilCalls(3);
    for (const { end } of calls) end();
    await Promise.all(answers);
  });

  it('bottleneck: a call beyond the high water mark is refused, and the others are carried out', async () => {
    const answers = [call('ann')];
    await until(() => calls.length === 1);
    for (let i = 0; i < 5; i += 1) answers.push(call('ann'));
    await until(() => line.length === 5);
    await expect(call('ann')).rejects.toBeInstanceOf(SluiceError);
    await until(() => {
      stage.clock.advance('10ms');
      for (const { end } of calls) end();
      return calls.length === 6;
    });
    for (const { end } of calls) end();
    await Promise.all(answers);
  });

  it('bottleneck: the reservoir of all tenants is refilled after a minute', async () => {
    const answers = Array.from({ length: 7 }, (_, i) => call(`tenant-${i}`));
    await until(() => calls.length === 6);
    for (const { end } of calls) end();
    stage.clock.advance('59s');
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toHaveLength(6);
    await untilCalls(7);
    expect(calls[6]?.atMs).toBeGreaterThanOrEqual(60_000);
    calls[6]?.end();
    await Promise.all(answers);
  });
});
