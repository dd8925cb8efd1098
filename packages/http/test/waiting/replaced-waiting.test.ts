import { expect, it } from '@jest/globals';
import { leakyBucket, replacePolicy } from '@sluice/core';
import { createEnforcer, type HttpOptions, type HttpRequest } from '@sluice/core/http';
import { manualStore } from '@sluice/test-kit/manual-store';

type Limits = Required<Pick<HttpOptions<[HttpRequest]>, 'limits'>>;
type Enforce = ReturnType<typeof createEnforcer<[HttpRequest]>>['enforce'];

const host = { requestOf: (request: HttpRequest) => request, proxyTrust: () => 'none' as const };

/** Delays every request, of which so many wait at most. */
const slow = (waiting: number): Limits => ({
  limits: [{ name: 'slow', limit: 99, window: '1m', slowDown: { after: 0, by: 1000, upTo: 1000, waiting } }],
});

/** Delays every request but the first, and bounds them by itself. */
const BUCKET: Limits = { limits: [{ name: 'smooth', limit: leakyBucket({ capacity: 9, leakRate: 1 }) }] };

const REPLACED: readonly (readonly [what: string, before: Limits, after: Limits, waiting: number])[] = [
  ['a larger bound', slow(1), slow(3), 3],
  ['a smaller bound', slow(3), slow(1), 1],
  ['a bound in place of a leaky bucket', BUCKET, slow(2), 2],
  ['a leaky bucket in place of a bound', slow(1), BUCKET, 5],
];

/** How many of six requests wait. */
async function waitingOf(enforce: Enforce): Promise<number> {
  let count = 0;
  for (let i = 0; i < 6; i += 1) {
    const decided = await enforce({ ip: '192.0.2.1', headers: {}, method: 'GET', url: '/' });
    if (decided?.turn) count += 1;
  }
  return count;
}

it.each(REPLACED)(
  'a policy that gets %s lets as many requests wait as one that had it from the start',
  async (_, before, after, waiting) => {
    const { store } = manualStore();
    const options = { name: 'changed', store, ...before };
    const changed = createEnforcer<[HttpRequest]>(options, host);
    replacePolicy(options, after);
    const fresh = createEnforcer<[HttpRequest]>({ name: 'fresh', store, ...after }, host);
    expect([await waitingOf(changed.enforce), await waitingOf(fresh.enforce)]).toEqual([waiting, waiting]);
  },
);
