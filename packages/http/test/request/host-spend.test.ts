import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import {
  byHeader,
  createEnforcer,
  type Enforcement,
  type Enforcer,
  type HostSpend,
  type HttpOptions,
  type HttpRequest,
} from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';

interface Call extends HttpRequest {
  readonly spend?: HostSpend;
}

const call = (spend?: HostSpend, key = 'ann'): Call => ({
  method: 'GET',
  url: '/',
  headers: { 'x-api-key': key },
  ip: '203.0.113.7',
  ...(spend && { spend }),
});

let clock: ManualClock;

beforeEach(() => {
  clock = new ManualClock();
});

type Extra = Pick<HttpOptions<[Call]>, 'cost' | 'onDecision' | 'onLimitReached' | 'reconsider' | 'maxWait'>;

function enforcerOf(options: Extra = {}): Enforcer<[Call]> {
  const store = new MemoryStore({ clock });
  return createEnforcer<[Call]>(
    { name: 'api', limit: 5, window: '1m', keyGenerator: byHeader('x-api-key'), store, ...options },
    { requestOf: (one) => one, spendOf: ({ spend }) => spend },
  );
}

const enforced = async (enforcer: Enforcer<[Call]>, spend?: HostSpend, key?: string): Promise<Enforcement<[Call]>> =>
  (await enforcer.enforce(call(spend, key))) as Enforcement<[Call]>;

const left = ({ reservation }: Enforcement<[Call]>): number | undefined => reservation?.tightest.remaining;

describe('A host that says how a request spends', () => {
  it('spends as the policy says if it says nothing', async () => {
    const enforcer = enforcerOf({ cost: 2 });
    expect(left(await enforced(enforcer))).toBe(3);
    expect(left(await enforced(enforcer, {}))).toBe(1);
  });

  it('gives the cost', async () => {
    const enforcer = enforcerOf();
    expect(left(await enforced(enforcer, { cost: 3 }))).toBe(2);
    expect((await enforced(enforcer, { cost: 3 })).reservation?.allowed).toBe(false);
  });

  it.each(['consume', 'reserve'] as const)('lets a %s with an id be repeated', async (kind) => {
    const enforcer = enforcerOf();
    const spend = { kind, operationId: 'request 1', holdMs: 1000 };
    const first = await enforced(enforcer, spend);
    expect(await enforced(enforcer, spend)).toMatchObject({
      headers: first.headers,
      reservation: { delayMs: 0 },
      turn: undefined,
    });
    expect(left(await enforced(enforcer, { kind: 'peek' }))).toBe(4);
    clock.advance(1000);
    expect(left(await enforced(enforcer, spend))).toBe(3);
  });

  it('keeps ids of other keys, costs and kinds apart', async () => {
    const enforcer = enforcerOf();
    const operationId = 'request 1';
    await enforced(enforcer, { operationId });
    expect(left(await enforced(enforcer, { operationId }, 'bob'))).toBe(4);
    expect(left(await enforced(enforcer, { operationId, cost: 2 }))).toBe(2);
    expect(left(await enforced(enforcer, { operationId, kind: 'reserve' }))).toBe(1);
  });

  it('shows a peek what the request would get, and calls no hooks', async () => {
    const called: string[] = [];
    const note = (hook: string) => () => void called.push(hook);
    const enforcer = enforcerOf({ onDecision: note('decision'), onLimitReached: note('limit') });
    await enforced(enforcer, { cost: 5, operationId: 'request 1' });
    const peeked = await enforced(enforcer, { kind: 'peek' });
    const peekedRefusal = await peeked.refuse?.(() => false);
    const refused = await enforced(enforcer);
    expect(called).toEqual(['decision', 'decision']);
    expect([peeked.headers, peekedRefusal]).toEqual([refused.headers, await refused.refuse?.(() => false)]);
    expect(called).toEqual(['decision', 'decision', 'limit']);
    const known = await enforced(enforcer, { kind: 'peek', cost: 5, operationId: 'request 1' });
    expect(known.reservation?.allowed).toBe(true);
  });

  it('gives the fields of a decision after a peek at the same request once', async () => {
    const enforcer = enforcerOf();
    let spend: HostSpend | undefined = { kind: 'peek' };
    const request: Call = Object.defineProperty(call(), 'spend', { get: () => spend });
    await enforcer.enforce(request);
    spend = undefined;
    const { headers } = (await enforcer.enforce(request)) as Enforcement<[Call]>;
    expect(headers.RateLimit).toBe('"api";r=4;t=60');
  });

  it('decides again about a repeated request that is reconsidered, as the first time', async () => {
    let rounds = 0;
    const reconsider = () => {
      rounds += 1;
      return rounds % 2 === 1;
    };
    const enforcer = enforcerOf({ reconsider });
    await enforced(enforcer, { cost: 5 });
    const spend = { operationId: 'request 1', holdMs: 60_001 };
    const refused = await enforced(enforcer, spend);
    clock.advance(60_000);
    expect((await enforced(enforcer, spend)).headers).toEqual(refused.headers);
    expect(rounds).toBe(4);
  });

  it.each<[HostSpend, string, string]>([
    [{ operationId: '' }, 'SLUICE_OPTION', 'operationId'],
    [{ operationId: 'x'.repeat(257) }, 'SLUICE_OPTION', 'operationId'],
    [{ operationId: 5 as unknown as string }, 'SLUICE_OPTION', 'operationId'],
    [{ operationId: 'a', holdMs: 0 }, 'SLUICE_OPTION', 'holdMs'],
    [{ operationId: 'a', holdMs: 86_400_001 }, 'SLUICE_OPTION', 'holdMs'],
    [{ operationId: 'a', correctableMs: 0 }, 'SLUICE_OPTION', 'correctableMs'],
    [{ operationId: 'a', correctableMs: 86_400_001 }, 'SLUICE_OPTION', 'correctableMs'],
    [{ kind: 'spend' as 'peek' }, 'SLUICE_OPTION', 'kind'],
    [{ id: 'a' } as HostSpend, 'SLUICE_OPTION', 'id'],
    [{ cost: -1 }, 'SLUICE_COST', ''],
  ])('is told about %o, and nothing is spent', async (spend, code, path) => {
    const enforcer = enforcerOf();
    const failure = (async () => enforcer.enforce(call(spend)))();
    await expect(failure).rejects.toMatchObject({ code, ...(path && { path }) });
    expect(left(await enforced(enforcer))).toBe(4);
  });

  it('cannot have a policy whose requests wait', () => {
    expect(() => enforcerOf({ maxWait: '1s' })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'maxWait' }),
    );
  });
});
