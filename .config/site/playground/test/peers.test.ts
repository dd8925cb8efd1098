import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ThrottlerStorageService } from '@nestjs/throttler';
import { MemoryStore as ExpressStore, type Options } from 'express-rate-limit';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { PRESETS, stateOfPreset } from '../model/presets.js';
import { run } from '../model/run.js';

/** Asks the library itself, and returns whether it admits. */
type Peer = (key: string) => Promise<boolean>;

const PEERS: Readonly<Record<string, () => Peer>> = {
  'express-rate-limit'() {
    const store = new ExpressStore();
    store.init({ windowMs: 60_000 } as Options);
    return async (key) => (await store.increment(key)).totalHits <= 100;
  },
  'nestjs-throttler'() {
    const storage = new ThrottlerStorageService();
    return async (key) => !(await storage.increment(key, 60_000, 10, 60_000, 'default')).isBlocked;
  },
  'rate-limiter-flexible'() {
    const limiter = new RateLimiterMemory({ points: 5, duration: 3600 });
    return (key) =>
      limiter.consume(key).then(
        () => true,
        () => false,
      );
  },
};

afterEach(() => {
  jest.useRealTimers();
});

describe.each(Object.keys(PEERS))('What the playground shows of %s', (id) => {
  it('is what the library decides', async () => {
    const preset = PRESETS.find((one) => one.id === id);
    if (!preset) throw new Error(`no preset ${id}`);
    const { outcomes, traffic } = await run(stateOfPreset(preset, 'theirs'), false);
    jest.useFakeTimers({ now: traffic.startMs });
    const ask = PEERS[id]?.() as Peer;
    const theirs: boolean[] = [];
    let nowMs = 0;
    for (const { atMs, client } of outcomes) {
      jest.advanceTimersByTime(atMs - nowMs);
      nowMs = atMs;
      theirs.push(await ask(String(client)));
    }
    expect(theirs).toEqual(outcomes.map(({ fate }) => fate === 'admitted'));
    expect(theirs).toContain(false);
  });
});
