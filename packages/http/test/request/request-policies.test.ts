import { describe, expect, it } from '@jest/globals';
import { FragileStore } from '@sluice/conformance/src/adapter-suite/fragile-store';
import { slidingWindow } from '@sluice/core';
import {
  createEnforcer,
  type HttpRequest,
  joinRequestPolicies,
  passedPoliciesOf,
  requestPoliciesOf,
} from '@sluice/core/http';
import { ManualClock } from '@sluice/core/src/testing/manual-clock';

const host = { requestOf: (request: HttpRequest) => request };
const enforcerOf = (name: string) => createEnforcer({ name, limit: 9, window: '1m' }, host);
const plain: HttpRequest = { method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' };

/** As in Node. */
const raw = (): HttpRequest => ({ ...plain, ...{ rawHeaders: ['Host', 'a.example'] } });

/** An object whose header fields cannot be changed. */
const frozen = (): HttpRequest => ({ ...plain, ...{ rawHeaders: Object.freeze(['Host', 'a.example']) } });

const policies = [enforcerOf('first'), enforcerOf('second')] as const;
const fieldsOf = async (request: HttpRequest, i: 0 | 1): Promise<string | undefined> =>
  (await policies[i].enforce(request))?.headers['RateLimit-Policy'];

describe('The policies that a request passes', () => {
  it.each([
    ['of Node', raw],
    ['of Node, frozen', frozen],
    ['of another framework', () => ({ ...plain })],
  ])('know of each other: %s', async (_, requestOf) => {
    const request = requestOf();
    expect(await fieldsOf(request, 0)).toBe('"first";q=9;w=60');
    expect(await fieldsOf(request, 1)).toBe('"first";q=9;w=60,"second";q=9;w=60');
  });

  it.each([
    ['of Node', raw],
    ['of Node, frozen', frozen],
    ['of another framework', () => ({ ...plain })],
  ])('are not those of its copy: %s', async (_, requestOf) => {
    const request = requestOf();
    const copy = { ...request };
    expect(await fieldsOf(request, 0)).toBe('"first";q=9;w=60');
    expect(await fieldsOf(copy, 1)).toBe('"second";q=9;w=60');
    expect(await fieldsOf(request, 1)).toBe('"first";q=9;w=60,"second";q=9;w=60');
  });
});

describe('A request that stands for another one', () => {
  const kinds: readonly [string, () => HttpRequest][] = [
    ['of Node', raw],
    ['of Node, frozen', frozen],
    ['of another framework', () => ({ ...plain })],
  ];

  it.each(kinds)('shares its policies: %s', async (_, requestOf) => {
    const [first, other] = [requestOf(), requestOf()];
    expect(await fieldsOf(first, 0)).toBe('"first";q=9;w=60');
    joinRequestPolicies(other, first);
    expect(await fieldsOf(other, 1)).toBe('"first";q=9;w=60,"second";q=9;w=60');
    expect(passedPoliciesOf(other)).toBe(requestPoliciesOf(first));
  });

  it.each(kinds)('has the policies that it shares, and no longer its own: %s', async (_, requestOf) => {
    const [first, other] = [requestOf(), requestOf()];
    await fieldsOf(first, 0);
    await fieldsOf(other, 1);
    joinRequestPolicies(other, first);
    expect(passedPoliciesOf(other)).toBe(requestPoliciesOf(first));
  });

  it('takes no policies from the request that it is a copy of', async () => {
    const [first, original] = [raw(), raw()];
    const own = requestPoliciesOf(original);
    const copy = { ...original };
    joinRequestPolicies(copy, first);
    expect(passedPoliciesOf(original)).toBe(own);
    expect(passedPoliciesOf(copy)).toBe(requestPoliciesOf(first));
  });
});

describe('The charges of several policies', () => {
  it.each([
    ['at once', false],
    ['by promises', true],
  ])('are given back in all policies, even if a store that answers %s fails', async (_, isAsync) => {
    const clock = new ManualClock();
    const closed = new FragileStore(clock, isAsync);
    const others = [new FragileStore(clock, isAsync), new FragileStore(clock, isAsync)];
    const nine = slidingWindow({ limit: 9, window: '1m' });
    const stores = [others[0], closed, others[1]];
    const enforcers = stores.map((store, i) =>
      createEnforcer(
        { name: `policy ${i}`, limit: nine, ...(store && { store }), keyGenerator: (_: HttpRequest) => 'ann' },
        host,
      ),
    );
    const request = { ...plain };
    for (const { enforce } of enforcers) await enforce(request);
    await closed.close();
    const refusing = createEnforcer(
      { name: 'none', limit: 0, window: '1m', keyGenerator: (_: HttpRequest) => 'ann' },
      host,
    );
    await expect((async () => refusing.enforce(request))()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    const left = async (i: 0 | 2) => (await enforcers[i]?.peek('ann'))?.tightest.remaining;
    expect([await left(0), await left(2)]).toEqual([9, 9]);
  });
});
