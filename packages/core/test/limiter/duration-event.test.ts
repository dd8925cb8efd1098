import { afterEach, describe, expect, it } from '@jest/globals';
import { createLimiter, createLine, leakyBucket, MemoryStore, type SluiceEvents, subscribe } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { RemoteMemory } from '../../../remote/test/guard/remote-memory.js';
import { systemClock } from '../../src/values/clock.js';

type Event = SluiceEvents['sluice:duration'];

let stop: () => void = () => {};
afterEach(() => stop());

function heard(): Event[] {
  const events: Event[] = [];
  stop = subscribe('sluice:duration', (event) => events.push(event));
  return events;
}

describe('sluice:duration', () => {
  it.each([1, 2])('tells each delay of a limit, of a policy of %i', (limits) => {
    const store = new MemoryStore({ clock: new ManualClock() });
    const queue = { name: 'queue', limit: leakyBucket({ capacity: 5, leakRate: 10 }) };
    const large = { name: 'large', limit: 100, window: '1m' as const };
    const limiter = createLimiter({ name: `delays ${limits}`, store, limits: [queue, large].slice(0, limits) });
    const events = heard();
    for (let i = 0; i < 3; i += 1) limiter.consume('ann');
    const delay = { kind: 'delay', policy: `delays ${limits}`, limit: 'queue' };
    expect(events).toEqual([
      { ...delay, durationMs: 100 },
      { ...delay, durationMs: 200 },
    ]);
  });

  it('tells how long each request waited in a line', async () => {
    const clock = new ManualClock();
    const limiter = createLimiter({ name: 'waits', store: new MemoryStore({ clock }), limit: 1, window: '1s' });
    const line = createLine({ limiter });
    const events = heard();
    const work = [1, 2].map(() => line.run('ann', async () => undefined));
    await clock.advance(0);
    await clock.advance(1000);
    await Promise.all(work);
    expect(events.filter(({ durationMs }) => durationMs > 0)).toEqual([
      { kind: 'wait', policy: 'waits', durationMs: 1000 },
    ]);
  });

  it('tells each call of a remote store, also a failed one', async () => {
    const store = Object.assign(new RemoteMemory(systemClock, 50), { name: 'far' });
    const limiter = createLimiter({ limit: 5, window: '1m', store });
    const events = heard();
    await (await limiter.reserve('ann')).cancel();
    await limiter.reset('ann');
    store.cut();
    await limiter.consume('ann');
    const operations = ['consume', 'adjust', 'reset', 'consume'] as const;
    expect(events).toEqual(
      operations.map((operation) => ({ kind: 'store-call', store: 'far', operation, durationMs: expect.any(Number) })),
    );
  });
});
