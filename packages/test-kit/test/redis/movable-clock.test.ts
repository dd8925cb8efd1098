import { describe, expect, it } from '@jest/globals';
import type { MovableClock } from '@sluice/test-kit/redis/movable-clock';
import { withMovableClock } from '@sluice/test-kit/redis/with-movable-clock';
import type { Redis } from 'ioredis';

let clock: MovableClock;
let client: Redis;

withMovableClock((...given) => {
  [client, clock] = given;
});

async function timeMs(): Promise<number> {
  const [seconds, micros] = await client.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** By how much the server is ahead of this process: at least, and at most. */
async function aheadMs(): Promise<{ least: number; most: number }> {
  const beforeMs = Date.now();
  const ms = await timeMs();
  return { least: ms - Date.now(), most: ms - beforeMs };
}

describe('A server of the tests whose clock they move', () => {
  it.each([0, 100, 10_000, -10_000, 86_400_000])('is ahead by %d ms, and its time goes on', async (ms) => {
    clock.runAhead(ms);
    const isAhead = async (): Promise<boolean> => {
      const { least, most } = await aheadMs();
      return least <= ms && most >= ms;
    };
    expect(await isAhead()).toBe(true);
    const firstMs = await timeMs();
    while ((await timeMs()) === firstMs) expect(await isAhead()).toBe(true);
  });

  it('stands where it is put, to the millisecond, also in a script', async () => {
    clock.standAt(1_700_000_000_123);
    expect([await timeMs(), await timeMs()]).toEqual([1_700_000_000_123, 1_700_000_000_123]);
    expect(await client.eval("local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000)", 0)).toBe(
      1_700_000_000_123,
    );
  });

  it('lets keys live by that clock', async () => {
    clock.standAt(1_700_000_000_000);
    await client.set('key', 'kept', 'PX', 5000);
    clock.standAt(1_700_000_004_999);
    expect([await client.get('key'), await client.pttl('key')]).toEqual(['kept', 1]);
    clock.standAt(1_700_000_005_001);
    expect(await client.get('key')).toBeNull();
  });
});
