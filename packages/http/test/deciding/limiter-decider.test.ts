import { describe, expect, it } from '@jest/globals';
import { createLimiter, type Decision, MemoryStore, type PolicyOptions, type Reservation } from '@sluice/core';
import {
  createEnforcer,
  type Enforcement,
  HttpRefusal,
  type HttpRequest,
  type LimiterOptions,
  PolicySet,
  type RateLimitSource,
  REQUEST_LIMITER,
  type RequestCall,
  type RequestLimiter,
} from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';

type Args = [request: HttpRequest & { user?: string }];

const host = { requestOf: (request: HttpRequest) => request, proxyTrust: () => 'none' as const };
const minute = (limit: number) => ({ limit, window: '1m' }) as const;
const requestFrom = (ip: string, user?: string) => ({
  method: 'GET',
  url: '/',
  headers: {},
  ip,
  ...(user !== undefined && { user }),
});

/** A limiter of somebody else, who has an ordinary limiter. It notes the calls. */
function elsewhere(options: PolicyOptions<[call: RequestCall]>, clock = new ManualClock()) {
  const limiter = createLimiter<RequestCall>({
    keyGenerator: ({ request }) => request.ip,
    store: new MemoryStore({ clock }),
    name: 'api',
    ...options,
  });
  const calls: RequestCall[] = [];
  const spendOf = ({ cost }: RequestCall) => (cost === undefined ? {} : { cost });
  const remote: RequestLimiter = {
    name: 'api',
    [REQUEST_LIMITER]: {
      clock,
      uncounted: undefined as unknown as Reservation,
      peek: (call) => limiter.peek(call, spendOf(call)),
      consume: (call) => limiter.consume(call, spendOf(call)),
      reserve: async (call) => {
        calls.push(call);
        if (call.request.url === '/free') return undefined;
        if (call.request.url === '/denied') throw new HttpRefusal(403);
        return (await limiter.reserve(call, spendOf(call))) as Reservation;
      },
    },
  };
  return { remote, calls, limiter };
}

const enforcerOf = (source: RateLimitSource<Args>) => createEnforcer<Args>(source, host);
const refusalOf = async (enforcement: Enforcement<Args> | undefined) => enforcement?.refuse?.(() => false);

describe('A policy whose limits somebody else has', () => {
  it('sends the same fields and the same refusal as the same policy here', async () => {
    const clock = new ManualClock();
    const here = enforcerOf({ name: 'api', ...minute(2), store: new MemoryStore({ clock }) });
    const there = enforcerOf(elsewhere(minute(2), clock).remote);
    for (let i = 0; i < 3; i += 1) {
      const [own, other] = await Promise.all([
        here.enforce(requestFrom('203.0.113.7')),
        there.enforce(requestFrom('203.0.113.7')),
      ]);
      expect(other?.headers).toEqual(own?.headers);
      expect(await refusalOf(other)).toEqual(await refusalOf(own));
      expect(other?.reservation?.verdicts).toEqual(own?.reservation?.verdicts);
      clock.advance(1500);
    }
  });

  it('joins the fields of the policies before and after it', async () => {
    const enforcers = [minute(5), elsewhere(minute(3)).remote, { name: 'last', ...minute(4) }].map((source) =>
      enforcerOf(source),
    );
    const request = requestFrom('203.0.113.7');
    let last: Enforcement<Args> | undefined;
    for (const { enforce } of enforcers) last = await enforce(request);
    expect(last?.headers['RateLimit-Policy']).toBe('"per-1m";q=5;w=60,"api";q=3;w=60,"last";q=4;w=60');
  });

  it('lets outer policies give back when it refuses', async () => {
    const outer = enforcerOf(minute(9));
    const inner = enforcerOf(elsewhere(minute(1)).remote);
    for (let i = 0; i < 3; i += 1) {
      const request = requestFrom('203.0.113.7');
      await outer.enforce(request);
      await inner.enforce(request);
    }
    expect((await outer.peek(requestFrom('203.0.113.7'))).tightest.used).toBe(1);
  });

  it('gives back when an inner policy refuses', async () => {
    const { remote, limiter } = elsewhere(minute(9));
    const outer = enforcerOf(remote);
    const inner = enforcerOf(minute(1));
    for (let i = 0; i < 3; i += 1) {
      const request = requestFrom('203.0.113.7');
      await outer.enforce(request);
      await inner.enforce(request);
    }
    expect((await limiter.peek({ request: requestFrom('203.0.113.7') })).tightest.used).toBe(1);
  });

  it('asks nobody about requests that are skipped, or on a list', async () => {
    const { remote, calls } = elsewhere(minute(1));
    const enforcer = enforcerOf({
      limiter: remote,
      skip: ({ user }) => user === 'ann',
      allowList: ['192.0.2.1'],
      denyList: ['192.0.2.2'],
    });
    expect(await enforcer.enforce(requestFrom('203.0.113.7', 'ann'))).toBeUndefined();
    expect(await enforcer.enforce(requestFrom('192.0.2.1'))).toBeUndefined();
    expect(await refusalOf(await enforcer.enforce(requestFrom('192.0.2.2')))).toMatchObject({ status: 403 });
    expect(calls).toEqual([]);
  });

  it('passes a request that no limit is asked about, and refuses one as the owner of the limits says', async () => {
    const enforcer = enforcerOf(elsewhere(minute(1)).remote);
    expect(await enforcer.enforce({ ...requestFrom('203.0.113.7'), url: '/free' })).toBeUndefined();
    const denied = await enforcer.enforce({ ...requestFrom('203.0.113.7'), url: '/denied' });
    expect(await refusalOf(denied)).toEqual(new HttpRefusal(403).refusal);
  });

  it('passes on the cost, the keys and the tier that only the application knows', async () => {
    const { remote, calls } = elsewhere(minute(9));
    const enforcer = enforcerOf({
      limiter: remote,
      cost: () => 3,
      keys: { team: async ({ user }) => user, nobody: () => undefined },
      tier: ({ user }) => (user === undefined ? undefined : 'pro'),
    });
    await enforcer.enforce(requestFrom('203.0.113.7', 'ann'));
    await enforcer.enforce(requestFrom('203.0.113.7'));
    expect(calls).toMatchObject([{ cost: 3, keys: { team: 'ann' }, tier: 'pro' }, { cost: 3 }]);
    expect(calls[1]).not.toHaveProperty('keys');
    expect(calls[1]).not.toHaveProperty('tier');
  });

  it('calls the hooks, and asks again if a request becomes cheaper', async () => {
    const notified: string[] = [];
    let units = 5;
    const enforcer = enforcerOf({
      limiter: elsewhere(minute(3)).remote,
      cost: () => units,
      reconsider: () => {
        units -= 1;
        return units > 2;
      },
      onDecision: (_request, { allowed }: Decision) => notified.push(`decided ${allowed}`),
      onLimitReached: () => notified.push('reached'),
      message: 'no',
      statusCode: 402,
    });
    expect((await enforcer.enforce(requestFrom('203.0.113.7')))?.reservation?.tightest.cost).toBe(3);
    units = 4;
    const refused = await enforcer.enforce(requestFrom('203.0.113.7'));
    expect(await refusalOf(refused)).toMatchObject({ status: 402, body: 'no' });
    expect(notified).toEqual(['decided true', 'decided false', 'reached']);
  });

  it('gives back what a failed request has spent, and lets the handler settle', async () => {
    const { remote, limiter } = elsewhere(minute(9));
    const enforcer = enforcerOf({ limiter: remote, skipFailedRequests: true });
    const first = await enforcer.enforce(requestFrom('203.0.113.7'));
    await first?.finish?.({ status: 500, aborted: false });
    const second = await enforcer.enforce(requestFrom('203.0.113.7'));
    await second?.reservation?.settle(4);
    await second?.finish?.({ status: 200, aborted: false });
    expect((await limiter.peek({ request: requestFrom('203.0.113.7') })).tightest.used).toBe(4);
  });

  it('answers the methods of its handle about requests, and refuses those about keys', async () => {
    const enforcer = enforcerOf(elsewhere(minute(2)).remote);
    const request = requestFrom('203.0.113.7');
    expect((await enforcer.consume(request)).tightest.remaining).toBe(1);
    expect((await enforcer.peek(request)).tightest.remaining).toBe(1);
    await (await enforcer.reserve(request)).cancel();
    expect((await enforcer.peek(request)).tightest.remaining).toBe(1);
    const unsupported = expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' });
    for (const attempt of [
      () => enforcer.peek('ann'),
      () => enforcer.reset('ann'),
      () => enforcer.block('ann', '1m'),
      () => enforcer.inspect('ann'),
    ])
      await expect(attempt()).rejects.toEqual(unsupported);
  });

  it('inherits what is about requests, and neither limits nor a store', async () => {
    const { remote } = elsewhere(minute(1));
    const made: object[] = [];
    const policies = new PolicySet<LimiterOptions<Args> | { limit: number }, ReturnType<typeof enforcerOf>>(
      { limit: 9, window: '1m', message: 'later', priority: () => 'low' } as { limit: number },
      (options) => {
        made.push(options);
        return enforcerOf(options as LimiterOptions<Args>);
      },
    );
    const login = policies.get({ name: 'login', limiter: remote } as LimiterOptions<Args>);
    expect(made).toEqual([{ limiter: remote, message: 'later' }]);
    expect(policies.named('login')).toBe(login);
    expect(policies.get(remote).policy).toBe('api');
  });

  it.each([
    [{ limit: 5, window: '1m' }, 'limit must not be beside limiter'],
    [{ store: new MemoryStore() }, 'store must not be beside limiter'],
    [{ maxWait: '1s' }, 'maxWait must not be beside limiter'],
    [{ limitr: 1 }, 'limitr is not an option: use limiter'],
    [{ limiter: createLimiter(minute(1)) }, 'limiter must decide about requests by itself'],
    [{ cost: -1 }, 'cost must be a whole number'],
    [{ keys: { team: 'ann' } }, 'keys["team"] must be a function'],
    [{ tier: 'pro' }, 'tier must be a function'],
    [{ skip: true }, 'skip must be a function'],
    [{ statusCode: 200 }, 'statusCode'],
  ])('refuses %j', (wrong, message) => {
    const options = { limiter: elsewhere(minute(1)).remote, ...wrong } as LimiterOptions<Args>;
    expect(() => enforcerOf(options)).toThrow(message);
  });
});
