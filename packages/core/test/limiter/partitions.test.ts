import { describe, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';

interface Call {
  readonly user: string;
  readonly model?: string | null | undefined;
}

const ONE = { limit: 1, window: '1m' } as const;
const keyGenerator = ({ user }: Call): string => user;
const partition = ({ model }: Call): string | null | undefined => model;

describe('The partition of a limit', () => {
  it('counts each part apart for each key', () => {
    const limiter = createLimiter<Call>({ ...ONE, keyGenerator, partition });
    const calls: Call[] = [
      { user: 'ann', model: 'a' },
      { user: 'ann', model: 'b' },
      { user: 'bob', model: 'a' },
    ];
    for (const call of calls) expect(limiter.consume(call).allowed).toBe(true);
    for (const call of calls) expect(limiter.consume(call).allowed).toBe(false);
  });

  it.each([undefined, null])('is not a part of the key if it is %s', (model) => {
    const limiter = createLimiter<Call>({ ...ONE, keyGenerator, partition });
    expect(limiter.consume({ user: 'ann', model }).allowed).toBe(true);
    expect(limiter.consume({ user: 'ann' }).allowed).toBe(false);
    expect(limiter.reset('ann')).toBe(true);
    expect(limiter.consume({ user: 'ann' }).allowed).toBe(true);
  });

  it('is the last part of the key of reset', () => {
    const limiter = createLimiter<Call>({ ...ONE, keyGenerator, partition });
    limiter.consume({ user: 'ann', model: 'a' });
    expect([limiter.reset('ann'), limiter.reset(['ann', 'b']), limiter.reset(['ann', 'a'])]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('counts text subjects apart, too', () => {
    const limiter = createLimiter({ ...ONE, partition: (subject: string) => subject.length });
    expect([limiter.consume('ab').allowed, limiter.consume('ab').allowed]).toEqual([true, false]);
    expect([limiter.reserve('abc').allowed, limiter.consume('abc').allowed]).toEqual([true, false]);
    expect([limiter.reset('ab'), limiter.reset(['ab', 2])]).toEqual([false, true]);
  });

  it('is inherited from the policy, and may be a promise', async () => {
    const limiter = createLimiter<Call>({
      limits: [ONE],
      keyGenerator,
      partition: async ({ model }: Call) => model,
    });
    expect((await limiter.consume({ user: 'ann', model: 'a' })).allowed).toBe(true);
    expect((await limiter.consume({ user: 'ann', model: 'b' })).allowed).toBe(true);
    expect((await limiter.consume({ user: 'ann', model: 'b' })).allowed).toBe(false);
  });
});
