import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Controls, type LivePolicies, type PoliciesOptions, policies } from '@sluice/config';
import { createLimiter, MemoryStore } from '@sluice/core';
import { createEnforcer, type HttpRequest } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';
import { emittedWarnings, expectOnly, type Warning } from '@sluice/test-kit/emitted-warnings';
import { aRequest } from '../compile/a-file.js';
import { TextSource } from './text-source.js';

const text = (rest: string): string => `version: 1
policies:
  login:
    limits: [{ name: minute, limit: 1, window: 1m }]
  api:
    limits: [{ name: minute, limit: 5, window: 1m${rest} }]
`;

const host = { requestOf: (request: HttpRequest) => request, proxyTrust: () => 'none' as const };
const request = (): HttpRequest => ({ ...aRequest(), headers: {} });
const CALM = { isCalm: true };

let clock: ManualClock;
let source: TextSource;
let warnings: readonly Warning[];
const open: LivePolicies<HttpRequest, false>[] = [];

beforeEach(() => {
  clock = new ManualClock();
  source = new TextSource(text(''));
  warnings = emittedWarnings();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(open.splice(0).map((live) => live.close()));
});

async function start(options: Partial<PoliciesOptions<HttpRequest, false>> = {}) {
  const live = await policies<HttpRequest, false>({ source, store: new MemoryStore({ clock }), ...options });
  open.push(live);
  return live;
}

/** The options of the code, each with what the limit in the file has for it. */
const IN_CODE: readonly (readonly [options: object, inFile?: string])[] = [
  [{ maxWait: '1s' }],
  [{ maxWait: '1s', waiting: 3 }],
  [{ waiting: 3 }, ', slowDown: { after: 3, by: 1s, upTo: 1s }'],
  [{ elastic: { upTo: 6, while: CALM } }],
  [{ headroom: { low: 0.5 }, priority: () => 'low' }, ', tolerance: 0.2'],
  [{ partition: () => 'part' }],
  [{ timeout: '1s' }],
  [{ reconsider: () => false }],
  [{ skipFailedRequests: true, requestWasSuccessful: () => true }],
  [{ standardHeaders: 'draft-6', legacyHeaders: false, extraHeaders: { 'x-policy': 'api' } }],
  [{ statusCode: 503, message: 'later', retryAfter: false }],
  [{ onDecision: () => {}, onLimitReached: () => {} }],
];

const cases = IN_CODE.map(([own, inFile = '']) => [Object.keys(own).join(' and '), own, inFile] as const);

describe.each(cases)('a policy that has %s of the code', (_, own, inFile) => {
  it.each(['on', 'shadow', 'off'] as const)('is made while it is %s, and can be switched', async (first) => {
    source.text = text(inFile);
    const live = await start();
    if (first !== 'on') await live.setEnforcement(first, { for: '1h' });
    const { enforce } = createEnforcer<[HttpRequest]>(live.policy('api', own), host);
    const limitNow = async () => (await enforce(request()))?.reservation?.tightest.limit.quota;
    for (const mode of [first, 'shadow', 'off', 'on'] as const) {
      await live.setEnforcement(mode, { for: '1h' });
      const quota = await limitNow();
      if (mode === 'off') expect(quota).not.toBe(5);
      else expect(quota).toBe(5);
    }
    await live.setEnforcement('off', { for: '1m' });
    await clock.untilSleeping(1);
    clock.advance('1m');
    await new Promise(setImmediate);
    expect([live.status().enforcement, await limitNow()]).toEqual(['on', 5]);
    expect(warnings).toEqual([]);
  });
});

/** What other instances say, as a test sets it. */
class OtherInstances implements Controls {
  enforcement: Awaited<ReturnType<Controls['read']>>['enforcement'];
  readonly #source = new TextSource('');

  async read() {
    return { enforcement: this.enforcement, brakes: new Map<string, string>() };
  }

  changes(signal: AbortSignal): AsyncIterable<void> {
    return this.#source.changes(signal);
  }

  async setEnforcement(override: OtherInstances['enforcement']): Promise<void> {
    this.enforcement = override;
  }

  async setBrake(): Promise<void> {}

  ring(): void {
    this.#source.ring();
  }
}

describe('a middleware that was made while it was off, and does not suit the limits of the file,', () => {
  /** Ends `off` in one of the ways in which nobody asks for it. */
  const ENDS: Readonly<Record<string, (others: OtherInstances) => unknown>> = {
    'time ends it': async () => {
      await clock.untilSleeping(1);
      clock.advance('1m');
    },
    'other instances end it': (others) => {
      others.enforcement = undefined;
      others.ring();
    },
  };

  async function startOff() {
    source.text = text(', blockDuration: 1h');
    const others = new OtherInstances();
    const live = await start({ controls: others });
    const login = createLimiter(live.policy('login'));
    await live.setEnforcement('off', { for: '1m' });
    const { enforce } = createEnforcer<[HttpRequest]>(live.policy('api', { maxWait: '1s' }), host);
    const isLimited = async () => (await enforce(request()))?.reservation?.tightest.limit.algorithm !== 'unlimited';
    const refuses = () => [login.consume(request()), login.consume(request())].some(({ allowed }) => !allowed);
    return { live, others, isLimited, refuses };
  }

  it.each(Object.keys(ENDS))('stays off with one warning when %s, and the others follow', async (how) => {
    const { live, others, isLimited, refuses } = await startOff();
    expect(refuses()).toBe(false);
    await ENDS[how]?.(others);
    await new Promise(setImmediate);
    expect([live.status().enforcement, refuses(), await isLimited()]).toEqual(['on', true, false]);
    others.ring();
    await new Promise(setImmediate);
    expectOnly(warnings, 'SLUICE_CONTROLS', 'errors.md');
    expect(warnings[0]?.message).toMatch(
      /^the policy "api" cannot follow the enforcement, and stays as it is: maxWait /,
    );

    source.text = text('');
    expect(await live.reload()).toMatchObject({ outcome: 'applied' });
    expect(await isLimited()).toBe(true);
  });

  it('is an error for whoever ends it, and the others follow', async () => {
    const { live, isLimited, refuses } = await startOff();
    await expect(live.clearEnforcement()).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'maxWait' });
    expect([live.status().enforcement, refuses(), await isLimited()]).toEqual(['on', true, false]);
    expect(warnings).toEqual([]);
  });
});
