import type { Decision, Limit, Limiter } from '@sluice/core';
import type { Version } from './version.js';

type Subject = string;
type AnyLimiter = Limiter<Subject, true>;

/** A limit that has been used. */
export interface Scene {
  readonly limits: (version: Version) => readonly Limit[];
  /** Leaves a state. */
  readonly use: (limiter: AnyLimiter) => Promise<unknown>;
  /** Reads it. Default: a look at what is left. */
  readonly ask?: (limiter: AnyLimiter) => Promise<Decision>;
}

const MINUTE = { limit: 5, window: '1m' } as const;
const RATE = { capacity: 5, refillRate: 0.1 } as const;

async function three(limiter: AnyLimiter): Promise<void> {
  await limiter.consume('ann');
  await limiter.consume('ann', { cost: 2 });
}

async function above(limiter: AnyLimiter): Promise<void> {
  for (let i = 0; i < 6; i += 1) await limiter.consume('ann');
}

/** Every kind of state that a store keeps. */
export const SCENES: Readonly<Record<string, Scene>> = {
  'sliding window': { limits: (v) => [v.slidingWindow(MINUTE)], use: three },
  'sliding window, used up': { limits: (v) => [v.slidingWindow(MINUTE)], use: above },
  'sliding window log': { limits: (v) => [v.slidingWindowLog(MINUTE)], use: three },
  'sliding window counter': { limits: (v) => [v.slidingWindowCounter(MINUTE)], use: three },
  'fixed window': { limits: (v) => [v.fixedWindow(MINUTE)], use: three },
  'token bucket': { limits: (v) => [v.tokenBucket(RATE)], use: three },
  'token bucket that never refills': { limits: (v) => [v.tokenBucket({ capacity: 5, refillRate: 0 })], use: three },
  'leaky bucket': { limits: (v) => [v.leakyBucket({ capacity: 5, leakRate: 0.1 })], use: three },
  slots: {
    limits: (v) => [v.concurrency({ limit: 5, lease: '10m' })],
    use: async (limiter) => {
      await limiter.reserve('ann', { id: 'slot-1' });
      await limiter.reserve('ann', { id: 'slot-2' });
    },
  },
  'several limits': {
    limits: (v) => [v.fixedWindow({ ...MINUTE, name: 'a' }), v.tokenBucket({ ...RATE, capacity: 9, name: 'b' })],
    use: three,
  },
  'refusals count': { limits: (v) => [v.slidingWindow({ ...MINUTE, countRejected: true })], use: above },
  'a block of a limit': { limits: (v) => [v.slidingWindow({ ...MINUTE, blockDuration: '10m' })], use: above },
  'a block that grows': {
    limits: (v) => [v.fixedWindow({ ...MINUTE, blockDuration: { first: '10m', max: '1h' } })],
    use: above,
  },
  'a block by hand': {
    limits: (v) => [v.slidingWindow(MINUTE)],
    use: async (limiter) => {
      await three(limiter);
      await limiter.block('ann', '10m');
    },
  },
  'a block by hand of a key that is new': {
    limits: (v) => [v.tokenBucket(RATE)],
    use: (limiter) => limiter.block('ann', '10m'),
  },
  'an operation': {
    limits: (v) => [v.fixedWindow(MINUTE)],
    use: (limiter) => limiter.consume('ann', { cost: 2, id: 'operation-1' }),
    ask: (limiter) => limiter.consume('ann', { cost: 2, id: 'operation-1' }),
  },
};

/** What a version says of a state. */
export interface Said {
  readonly allowed: boolean;
  readonly verdicts: readonly (readonly [remaining: number, used: number, retryAfterMs: number | 'never'])[];
}

export async function saidOf({ ask = (limiter) => limiter.peek('ann') }: Scene, limiter: AnyLimiter): Promise<Said> {
  const { allowed, verdicts } = await ask(limiter);
  return { allowed, verdicts: verdicts.map(({ remaining, used, retryAfterMs }) => [remaining, used, retryAfterMs]) };
}
