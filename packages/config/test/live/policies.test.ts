import { channel } from 'node:diagnostics_channel';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type LivePolicies,
  mistakeText,
  type PoliciesOptions,
  policies,
  type ReloadOptions,
  readPolicyFile,
} from '@sluice/config';
import { createLimiter, type Limiter, MemoryStore, type PolicyEvent, subscribe } from '@sluice/core';
import { createEnforcer, type HttpRequest } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';
import { HTTP_OPTIONS } from '@sluice/http/options/options';
import { emittedWarnings, expectOnly } from '@sluice/test-kit/emitted-warnings';
import { aRequest } from '../compile/a-file.js';
import { TextSource } from './text-source.js';

/** A file with one policy, and whatever else. */
const yaml = (limit: number, rest = ''): string => `version: 1
${rest}
policies:
  api:
    limits: [{ name: minute, limit: ${limit}, window: 1m }]
`;

let clock: ManualClock;
let store: MemoryStore;
let source: TextSource;
let events: PolicyEvent[];
let stop: () => void;
const open: LivePolicies[] = [];

beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStore({ clock });
  source = new TextSource(yaml(5));
  events = [];
  stop = subscribe('sluice:policy', (event) => events.push(event));
});

afterEach(async () => {
  stop();
  await Promise.all(open.splice(0).map((live) => live.close()));
  delete process.env.SLUICE_ENFORCEMENT;
});

async function start(options: Partial<PoliciesOptions<object, false>> = {}): Promise<LivePolicies<object, false>> {
  const live = await policies({ source, store, ...options });
  open.push(live);
  return live;
}

async function change(live: LivePolicies, text: string, options?: ReloadOptions) {
  source.text = text;
  return live.reload(options);
}

describe('live policies', () => {
  it('decide by the file, and by the next one, with what was spent', async () => {
    const live = await start();
    const limiter = createLimiter(live.policy('api'));
    for (let i = 0; i < 4; i += 1) expect(limiter.consume(aRequest()).allowed).toBe(true);
    expect(await change(live, yaml(6))).toEqual({ outcome: 'applied', revision: live.revision });
    expect(limiter.consume(aRequest()).tightest).toMatchObject({ used: 5, remaining: 1 });
    await change(live, yaml(2));
    expect(limiter.consume(aRequest())).toMatchObject({ allowed: false, tightest: { used: 5, remaining: 0 } });
  });

  it('return the same object for a policy, which is always up to date', async () => {
    const live = await start();
    const before = live.policy('api');
    await change(live, yaml(7));
    expect(live.policy('api')).toBe(before);
    expect(createLimiter(before).peek(aRequest()).tightest.limit.quota).toBe(7);
  });

  it('share counters between everything that is made from one policy', async () => {
    const live = await start();
    const [one, two] = [createLimiter(live.policy('api')), createLimiter(live.policy('api'))];
    one.consume(aRequest());
    expect(two.consume(aRequest()).tightest.used).toBe(2);
    await change(live, yaml(2));
    expect([one, two].map((limiter) => limiter.consume(aRequest()).allowed)).toEqual([false, false]);
  });

  it('follow the source when it tells of a change', async () => {
    const live = await start();
    source.text = yaml(9);
    const applied = new Promise<void>((resolve) => {
      const end = subscribe('sluice:policy', () => resolve(end()));
    });
    source.ring();
    await applied;
    expect(createLimiter(live.policy('api')).peek(aRequest()).tightest.limit.quota).toBe(9);
  });

  it('know new policies, and go on with those that a file has no more', async () => {
    const two = `${yaml(5)}  login:\n    limits: [{ name: minute, limit: 2, window: 1m }]\n`;
    const live = await start();
    expect(() => live.policy('login')).toThrow('the policy file has no policy "login": it has "api"');
    await change(live, two);
    const login = createLimiter(live.policy('login'));
    login.consume(aRequest());
    expect(await change(live, yaml(5), { allowRemovals: true })).toMatchObject({ outcome: 'applied' });
    expect(() => live.policy('login')).toThrow('no policy "login"');
    expect([login.consume(aRequest()).allowed, login.consume(aRequest()).allowed]).toEqual([true, false]);
    await change(live, yaml(5, 'enforcement: off'));
    expect(login.consume(aRequest()).allowed).toBe(true);
    await change(live, two.replace('limit: 2', 'limit: 4'));
    expect(login.consume(aRequest()).tightest).toMatchObject({ used: 3, limit: { quota: 4 } });
    expect(createLimiter(live.policy('login')).peek(aRequest()).tightest.used).toBe(3);
  });

  it('take and lose an allow list', async () => {
    const live = await start();
    const limiter = createLimiter(live.policy('api'));
    const listed = yaml(5).replace('limits:', 'allowList: [203.0.113.0/24]\n    limits:');
    const used = () => limiter.consume(aRequest()).tightest.used;
    expect(used()).toBe(1);
    await change(live, listed);
    expect(used()).toBe(0);
    await change(live, yaml(5));
    expect(used()).toBe(2);
    await change(live, listed);
    expect(used()).toBe(0);
  });

  it('take options that only HTTP has, for those who ask with them', async () => {
    const live = await start();
    const handle = live.policy('api', { message: 'Slow down', statusCode: 503 });
    expect(handle).toMatchObject({ name: 'api', message: 'Slow down', statusCode: 503 });
    expect(live.policy('api', { statusCode: 503, message: 'Slow down', problem: undefined })).toBe(handle);
    expect(live.policy('api', { message: 'Slow down' })).not.toHaveProperty('statusCode');
    expect(live.policy('api')).not.toHaveProperty('message');
    expect(live.policy('api', {})).toBe(live.policy('api'));
    expect(() => live.policy('api', { message: 'Other' })).toThrow('message was given to policy("api") with another');
    expect(() => live.policy('api', { limit: 5 })).toThrow('limit must not be given in code: the policy file says it');
    await change(live, yaml(6));
    expect(handle).toMatchObject({ message: 'Slow down', limits: [{ limit: { quota: 6 } }] });
    expect(live.policy('api', { message: 'Slow down', statusCode: 503 })).toBe(handle);
  });

  describe('that HTTP and the rest of the program share', () => {
    const host = { requestOf: (request: HttpRequest) => request, proxyTrust: () => 'none' as const };
    const withHttp = (live: LivePolicies<object, false>, http: object) => {
      const { enforce } = createEnforcer<[HttpRequest]>(live.policy('api', http), host);
      return async () => (await enforce({ ...aRequest(), headers: {} }))?.reservation?.tightest.used;
    };
    const withoutHttp = (live: LivePolicies<object, false>) => {
      const limiter = createLimiter(live.policy('api'));
      return async () => limiter.consume(aRequest()).tightest.used;
    };
    /** Whatever one of them is given, the others know nothing of it. */
    const USERS = [
      withoutHttp,
      (live: LivePolicies<object, false>) => withHttp(live, {}),
      (live: LivePolicies<object, false>) => withHttp(live, { message: 'Slow down' }),
      (live: LivePolicies<object, false>) => withHttp(live, { message: 'Slow down', maxWait: '1s' }),
    ];

    it.each([...USERS.keys()])(
      'have one counter, and follow the file and the kill switch, whoever is first: %d',
      async (first) => {
        const live = await start();
        const users = USERS.map((_, i) => USERS[(first + i) % USERS.length]?.(live));
        // Another framework has options of its own.
        live.policy('api', { hook: 'preHandler' });
        const used = async () => {
          const all: unknown[] = [];
          for (const use of users) all.push(await use?.());
          return all;
        };
        expect(await used()).toEqual([1, 2, 3, 4]);
        expect(await change(live, yaml(9))).toMatchObject({ outcome: 'applied' });
        expect(await used()).toEqual([5, 6, 7, 8]);
        await live.setEnforcement('off', { for: '1h' });
        expect(await used()).toEqual([0, 0, 0, 0]);
        await live.clearEnforcement();
        expect(createLimiter(live.policy('api')).peek(aRequest()).tightest.used).toBe(8);
      },
    );
  });

  it.each(HTTP_OPTIONS)('take %s in code, if a file that has it says so', async (word) => {
    const atPolicy = yaml(5).replace('limits:', `${word}: 1\n    limits:`);
    const atLimit = yaml(5).replace('window:', `${word}: 1, window:`);
    const messages = [atPolicy, atLimit].flatMap((text) => readPolicyFile(text).mistakes ?? []).map(mistakeText);
    if (!messages.some((message) => message.includes(`live.policy(name, { ${word} })`))) return;
    const live = await start();
    expect(live.policy('api', { [word]: 1 })).toMatchObject({ [word]: 1 });
  });

  it('that are closed during a reload stay as they are, and listen to nothing', async () => {
    const trial = `rollout: [{ from: 2025-01-01T00:00:00Z, enforce: 0.5 }]
    brake: { refused: 5%, over: 5m }
    limits:`;
    const listened = () => channel('sluice:decision').hasSubscribers;
    const live = await start();
    const { revision } = live;
    source.text = yaml(6).replace('limits:', trial);
    const reloading = live.reload();
    await Promise.resolve();
    await live.close();
    await expect(reloading).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    expect(live.revision).toBe(revision);
    expect(listened()).toBe(false);
    await expect(live.setEnforcement('off', { for: '1m' })).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    await expect(live.clearEnforcement()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('decide on after close, and read no more', async () => {
    const live = await start();
    const limiter = createLimiter(live.policy('api'));
    await live.close();
    await live.close();
    await expect(live.reload()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    expect(limiter.consume(aRequest()).allowed).toBe(true);
  });

  it('explain what they do now', async () => {
    const live = await start();
    expect(JSON.stringify(live.explain({ policy: 'api' }))).toMatch(/5 requests/);
    await change(live, yaml(8));
    expect(JSON.stringify(live.explain())).toMatch(/8 requests/);
  });
});

describe('a text that is not applied', () => {
  const cases: [what: string, text: string, message: RegExp][] = [
    ['with mistakes', 'version: 1\npolicies: { api: { limits: [{ limit: -1, window: 1m }] } }', /limit must be/],
    ['that is empty', '', /empty|must|missing/],
    ['that is no YAML', 'version: [1', /./],
    ['with a number eleven times larger', yaml(56), /looks like an accident: .*accept: [0-9a-f]{12}/],
    ['with a number eleven times smaller', yaml(0), /looks like an accident/],
    [
      'with ten times the limit in a tenth of the window',
      yaml(50).replace('window: 1m', 'window: 6s'),
      /looks like an accident: Policy api, limit minute: it admits at most 720,000 units in a day instead of 7,200 units/,
    ],
    [
      'with the same number in a second, by another algorithm',
      yaml(5).replace('window: 1m', 'algorithm: fixed-window, window: 1s'),
      /looks like an accident: Policy api, limit minute: it admits/,
    ],
    [
      'that takes a key from code which is not there',
      yaml(5, 'keys: { user: code }').replace('limits:', 'key: user\n    limits:'),
      /keys\["user"\] must be a function/,
    ],
  ];

  it.each(cases)('%s: the old one decides on, and the status says so', async (_, text, message) => {
    const live = await start();
    const limiter = createLimiter(live.policy('api'));
    const { revision } = live;
    const result = await change(live, text);
    expect(result).toMatchObject({ outcome: 'rejected', revision });
    expect(result.mistakes?.[0]?.message).toMatch(message);
    expect(limiter.peek(aRequest()).tightest.limit.quota).toBe(5);
    expect(live.status()).toMatchObject({
      revision,
      reloads: { applied: 1, unchanged: 0, rejected: 1 },
      lastReload: { successful: false, succeededAtMs: clock.now() },
      rejected: { mistakes: result.mistakes },
    });
    expect(await change(live, yaml(5))).toMatchObject({ outcome: 'unchanged' });
    expect(live.status()).toMatchObject({ lastReload: { successful: true } });
    expect(live.status().rejected).toBeUndefined();
  });

  it('because more than half of the limits are gone, is applied if it accepts the revision', async () => {
    const limits = (count: number): string =>
      `version: 1\npolicies: { a: { limits: [${['1m', '1h', '1d']
        .slice(0, count)
        .map((window) => `{ name: per-${window}, limit: 1, window: ${window} }`)
        .join(', ')}] } }`;
    source.text = limits(3);
    const live = await start();
    expect((await change(live, limits(1))).mistakes?.[0]?.message).toMatch('2 of 3 limits of policies are gone');
    expect(await change(live, limits(1), { allowRemovals: true })).toMatchObject({ outcome: 'rejected' });
    expect(await change(live, `accept: ${'0'.repeat(12)}\n${limits(1)}`)).toMatchObject({ outcome: 'rejected' });
    expect(await change(live, `accept: "${live.revision}"\n${limits(1)}`)).toMatchObject({ outcome: 'applied' });
  });

  describe('because it lacks a policy', () => {
    const policy = (name: string): string => `  ${name}: { limits: [{ limit: 5, window: 1m }] }\n`;
    const file = (...names: readonly string[]): string => `version: 1\npolicies:\n${names.map(policy).join('')}`;
    beforeEach(() => {
      source.text = file('api', 'login', 'search');
    });

    it.each([
      ['a removed one', file('api', 'search')],
      ['one with another name', file('api', 'log-in', 'search')],
    ])('names %s, and the old file decides on', async (_, next) => {
      const live = await start();
      const { revision } = live;
      const result = await change(live, next);
      expect(result).toMatchObject({ outcome: 'rejected', revision });
      expect(result.mistakes?.map(({ message }) => message)).toEqual([
        'the policy "login" is gone: it was removed, or has another name. Nobody who asks for it would be limited by it. If you mean it, ' +
          `reload with allowRemovals (sluice reload --allow-removals), or add accept: ${revision} to the file`,
      ]);
      expect(live.policy('login').name).toBe('login');
    });

    it('is taken if the reload allows removals, also after it was rejected, and the policy is unknown from then on', async () => {
      const live = await start();
      await change(live, file('api', 'search'));
      expect(await live.reload({ allowRemovals: true, by: 'ann', reason: 'old' })).toMatchObject({
        outcome: 'applied',
      });
      expect(events.at(-1)).toMatchObject({ by: 'ann', reason: 'old', outcome: 'applied' });
      expect(() => live.policy('login')).toThrow('no policy "login"');
      expect(await change(live, `${file('api', 'search')}# note\n`)).toMatchObject({ outcome: 'applied' });
    });

    it('is taken if it accepts the revision', async () => {
      const live = await start();
      const next = `accept: "${live.revision}"\n${file('api')}`;
      expect(await change(live, next)).toMatchObject({ outcome: 'applied' });
    });

    it('refuses options that are wrong', async () => {
      const live = await start();
      const wrong = { allowRemovals: 'yes' } as unknown as ReloadOptions;
      await expect(live.reload(wrong)).rejects.toThrow('allowRemovals must be true or false, got "yes"');
    });
  });

  describe('because small steps are large together', () => {
    it('ends at ten times the number of an hour ago', async () => {
      const live = await start();
      const outcomes: string[] = [];
      for (const limit of [15, 45, 50, 51]) outcomes.push((await change(live, yaml(limit))).outcome);
      expect(outcomes).toEqual(['applied', 'applied', 'applied', 'rejected']);
      expect(live.status().rejected?.mistakes[0]?.message).toMatch(
        /^looks like an accident: in several steps within an hour: Policy api, limit minute: limit is 51 instead of 5\./,
      );
    });

    it('does not reach 700,000 from 1,000 in eight seconds', async () => {
      source.text = yaml(1000);
      const live = await start();
      let limit = 1000;
      for (let second = 1; second <= 8; second += 1) {
        clock.advance('1s');
        const next = Math.min(700_000, limit * 9);
        if ((await change(live, yaml(next))).outcome === 'applied') limit = next;
      }
      expect(limit).toBe(9000);
    });

    it('goes on when the hour is over, however often the file changes', async () => {
      const live = await start();
      for (let minute = 0; minute < 240; minute += 1) {
        await change(live, `${yaml(minute < 5 ? 5 : 45)}# ${minute}\n`);
        clock.advance('1m');
      }
      expect(await change(live, yaml(400))).toMatchObject({ outcome: 'applied' });
      expect(await change(live, yaml(460))).toMatchObject({ outcome: 'rejected' });
    });

    it('begins anew with a file that accepts the revision', async () => {
      const live = await start();
      await change(live, yaml(50));
      expect(await change(live, yaml(100))).toMatchObject({ outcome: 'rejected' });
      expect(await change(live, yaml(400, `accept: "${live.revision}"`))).toMatchObject({ outcome: 'applied' });
      expect(await change(live, yaml(500))).toMatchObject({ outcome: 'applied' });
    });
  });

  it('because more than half of many customers are gone', async () => {
    const customers = (count: number): string => `version: 1
keys: { customer: { header: x-api-key } }
tiers: { free: { minute: { limit: 1, window: 1m } } }
customers: { ${Array.from({ length: count }, (_, i) => `c${i}: { tier: free }`).join(', ')} }
policies: { api: { key: customer, tier: { from: customers, default: free }, limits: [{ name: minute, tier: true }] } }
`;
    source.text = customers(20);
    const live = await start();
    expect((await change(live, customers(9))).mistakes?.[0]?.message).toMatch('11 of 20 customers are gone');
    expect(await change(live, customers(10))).toMatchObject({ outcome: 'applied' });
    expect(await change(live, customers(5))).toMatchObject({ outcome: 'applied' });
    expect(await change(live, customers(1))).toMatchObject({ outcome: 'applied' });
  });

  it('because one policy does not suit the store, changes none of them', async () => {
    const live = await start();
    const limiter = createLimiter(live.policy('api'));
    const mine = createLimiter({ name: 'login', limit: 1, window: '1m', store });
    const result = await change(live, `${yaml(6)}  login:\n    limits: [{ name: minute, limit: 2, window: 1m }]\n`);
    expect(result.mistakes?.[0]?.message).toMatch('the store already has a policy named "login"');
    expect(limiter.peek(aRequest()).tightest.limit.quota).toBe(5);
    expect(mine.peek('a').tightest.limit.quota).toBe(1);
  });

  it('because a limit does not suit the store, is not applied while enforcement is off, either', async () => {
    const live = await start();
    await live.setEnforcement('off', { for: '1m' });
    const { revision } = live;
    Object.assign(store, {
      accept(outline: unknown) {
        if (JSON.stringify(outline).includes('token-bucket')) throw new Error('this store has no buckets');
      },
    });
    const bucket = '{ name: minute, algorithm: token-bucket, capacity: 5, refillRate: 0.1 }';
    const result = await change(live, yaml(5).replace(/\{ name.*\}/, bucket));
    expect(result).toMatchObject({ outcome: 'rejected', mistakes: [{ message: 'this store has no buckets' }] });
    await clock.untilSleeping(1);
    clock.advance('1m');
    await new Promise(setImmediate);
    expect(live.status()).toMatchObject({ enforcement: 'on', revision });
  });

  it('because the source is gone, is told, and read again when it is back', async () => {
    const live = await start();
    source.error = new Error('connection refused');
    expect(await live.reload()).toMatchObject({ outcome: 'rejected', mistakes: [{ message: 'connection refused' }] });
    expect(live.status()).toMatchObject({ lastReload: { successful: false }, rejected: { revision: '' } });
    source.error = undefined;
    expect(await change(live, yaml(6))).toMatchObject({ outcome: 'applied' });
    expect(live.status().lastReload.successful).toBe(true);
  });
});

describe('what a program cannot do', () => {
  const check: PoliciesOptions<object, false>['check'] = ({ policies: all }) =>
    [...all.values()].flatMap(({ name, limits }) =>
      limits.flatMap((limit, i) =>
        limit.name === 'minute' ? [] : [{ path: ['policies', name, 'limits', i], rule: `is no minute: remove it` }],
      ),
    );
  const hours = yaml(5).replace('name: minute', 'name: hour');

  it('is refused at the start, with line and column', async () => {
    source.text = hours;
    await expect(start({ check })).rejects.toMatchObject({
      code: 'SLUICE_POLICY_FILE',
      message: expect.stringContaining(
        'test.yaml:5:14 policies.api.limits[0] is no minute: remove it (SLUICE_UNSUPPORTED)',
      ),
    });
  });

  it('is refused in a later file, which changes nothing then', async () => {
    const live = await start({ check });
    const limiter = createLimiter(live.policy('api'));
    const { revision } = live;
    expect(await change(live, hours.replace('limit: 5', 'limit: 9'))).toEqual({
      outcome: 'rejected',
      revision,
      mistakes: [expect.objectContaining({ line: 5, column: 14, code: 'SLUICE_UNSUPPORTED' })],
    });
    expect(limiter.peek(aRequest()).tightest.limit.quota).toBe(5);
    expect(await change(live, yaml(6))).toMatchObject({ outcome: 'applied' });
  });

  it('is asked only about a file that is right by itself', async () => {
    let asked = 0;
    const counting = () => {
      asked += 1;
      return [];
    };
    const live = await start({ check: counting });
    expect(asked).toBe(1);
    await change(live, yaml(-1));
    expect(asked).toBe(1);
    await change(live, yaml(7));
    expect(asked).toBe(2);
  });
});

describe('the start', () => {
  it('fails with all mistakes of a bad text', async () => {
    source.text = 'version: 2\npolicies: { api: { limits: [{ limit: -1, window: 1m }] } }';
    await expect(start()).rejects.toMatchObject({
      code: 'SLUICE_POLICY_FILE',
      message: expect.stringMatching(
        /^test\.yaml:1:10 .*\ntest\.yaml:2:\d+ policies\.api.*\ntest\.yaml has 2 mistakes \(SLUICE_POLICY_FILE\)$/,
      ),
    });
  });

  it('fails if the source has no text', async () => {
    source.error = new Error('no such file');
    await expect(start()).rejects.toThrow('no such file');
  });

  it('takes the last good text from the cache while the source is away', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-cache-'));
    const cache = join(folder, 'last.yaml');
    const first = await start({ cache });
    await change(first, yaml(6));
    await change(first, 'no policies');
    expect(readFileSync(cache, 'utf8')).toBe(yaml(6));

    source.error = new Error('gone');
    const second = await policies({ source, store: new MemoryStore({ clock }), cache });
    open.push(second);
    expect(createLimiter(second.policy('api')).peek(aRequest()).tightest.limit.quota).toBe(6);
    expect(second.status()).toMatchObject({ origin: cache, revision: first.revision });
    writeFileSync(cache, 'no policies');
    await expect(policies({ source, store: new MemoryStore(), cache })).rejects.toThrow('SLUICE_POLICY_FILE');
    source.error = undefined;
    await change(second, yaml(6));
    expect(second.status()).toMatchObject({ origin: 'test.yaml', lastReload: { successful: true } });
    rmSync(folder, { recursive: true });
  });

  it('leaves nothing beside a cache that cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-cache-'));
    mkdirSync(join(folder, 'last.yaml'));
    const warnings = emittedWarnings();
    await start({ cache: join(folder, 'last.yaml') });
    jest.restoreAllMocks();
    expectOnly(warnings, 'SLUICE_HOOK_FAILED', 'errors.md');
    expect(readdirSync(folder)).toEqual(['last.yaml']);
    rmSync(folder, { recursive: true });
  });

  it.each([
    [{ source: undefined as never }, 'source.read must be a function'],
    [{ store: {} as never }, 'store must be a store'],
    [{ cache: '' }, 'cache must be the path of a file'],
    [{ audit: {} as never }, 'audit.write must be a function'],
    [{ polices: 1 } as object, 'polices is not an option'],
  ])('refuses wrong options', async (options, message) => {
    await expect(start(options)).rejects.toThrow(message);
  });
});

describe('a source that an application has made', () => {
  /** A source that fails to tell of changes, as one over a network may. */
  const failing = (fail: (signal: AbortSignal) => Promise<void>) => {
    const made = new TextSource(yaml(5));
    // biome-ignore lint/correctness/useYield: it fails before it tells anything
    const changes = async function* (signal: AbortSignal): AsyncIterable<void> {
      await fail(signal);
    };
    return { made, source: { read: () => made.read(), changes } };
  };

  it('is asked again if it fails to tell of changes, and the process is warned once', async () => {
    const warnings = emittedWarnings();
    const { made, source } = failing(() => Promise.reject(new Error('the connection is lost')));
    const nothing = { enforcement: undefined, brakes: new Map<string, string>() };
    const live = await start({
      source,
      controls: {
        read: async () => nothing,
        changes: source.changes,
        setEnforcement: async () => {},
        setBrake: async () => {},
      },
    });
    made.text = yaml(6);
    for (let i = 0; i < 3; i += 1) {
      await clock.untilSleeping(2);
      clock.advance('1s');
    }
    await clock.untilSleeping(2);
    expect(live.status().limits[0]?.quota).toBe(6);
    await live.close();
    jest.restoreAllMocks();
    expect(warnings.map(({ code, message }) => [code, message])).toEqual(
      ['source', 'controls'].map((name) => [
        'SLUICE_HOOK_FAILED',
        `${name}.changes failed, so it is called again: the connection is lost`,
      ]),
    );
  });

  it('may fail when the policies are closed, as a sleep does that the signal ends', async () => {
    const { source } = failing((signal) => clock.sleep(3_600_000, signal));
    const live = await start({ source });
    await expect(live.close()).resolves.toBeUndefined();
  });
});

describe('the audit', () => {
  it('has one event and one line for each revision that was applied', async () => {
    const lines: string[] = [];
    const live = await start({ audit: { write: (line: string) => lines.push(line) } });
    const first = live.revision;
    await change(live, yaml(6));
    await change(live, yaml(6));
    await change(live, 'version: 1');
    await change(live, 'version: 1');
    const second = live.revision;
    expect(events.map(({ outcome, revision }) => [outcome, revision])).toEqual([
      ['applied', first],
      ['applied', second],
      ['unchanged', second],
      ['rejected', expect.any(String)],
      ['rejected', expect.any(String)],
    ]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { at: '2026-01-01T00:00:00.000Z', origin: 'test.yaml', revision: first, outcome: 'applied', changes: [] },
      {
        at: '2026-01-01T00:00:00.000Z',
        origin: 'test.yaml',
        revision: second,
        previous: first,
        outcome: 'applied',
        changes: [{ path: 'policies.api.limits.minute.limit', from: 5, to: 6 }],
      },
      expect.objectContaining({ outcome: 'rejected', previous: second, mistakes: expect.any(Array) }),
    ]);
    expect(lines.every((line) => line.endsWith('\n'))).toBe(true);
  });

  it.each<[when: string, write: () => unknown]>([
    [
      'at once',
      () => {
        throw new Error('disk full');
      },
    ],
    ['later', () => Promise.reject(new Error('disk full'))],
  ])('that fails %s changes nothing, and the process is warned once', async (_, write) => {
    const warnings = emittedWarnings();
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const live = await start({ audit: { write } });
    expect(await change(live, yaml(6))).toMatchObject({ outcome: 'applied' });
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    jest.restoreAllMocks();
    expect(unhandled).toEqual([]);
    expectOnly(warnings, 'SLUICE_HOOK_FAILED', 'errors.md');
  });
});

describe('the kill switch', () => {
  const isRefused = (limiter: Limiter<object, false>): boolean => {
    for (let i = 0; i < 5; i += 1) limiter.consume(aRequest());
    return !limiter.consume(aRequest()).allowed;
  };

  it('is in the file', async () => {
    const live = await start();
    const limiter = createLimiter(live.policy('api'));
    expect(isRefused(limiter)).toBe(true);
    for (const [mode, refused] of [
      ['shadow', false],
      ['on', true],
      ['off', false],
      ['false', false],
      ['true', true],
    ] as const) {
      expect(await change(live, yaml(5, `enforcement: ${mode}`))).toMatchObject({ outcome: 'applied' });
      expect(isRefused(limiter)).toBe(refused);
    }
  });

  it('asks the store nothing while it is off', async () => {
    let asked = 0;
    const { consume } = store;
    store.consume = (ask) => {
      asked += 1;
      return consume.call(store, ask);
    };
    const live = await start();
    const limiter = createLimiter(live.policy('api'));
    limiter.consume(aRequest());
    expect(asked).toBe(1);
    await change(live, yaml(5, 'enforcement: off'));
    for (let i = 0; i < 9; i += 1) limiter.consume(aRequest());
    expect(asked).toBe(1);
  });

  it('of an administrator comes before the file, and ends by itself', async () => {
    const live = await start();
    const limiter = createLimiter(live.policy('api'));
    await live.setEnforcement('shadow', { for: '10m', by: 'ann', reason: 'incident' });
    expect(isRefused(limiter)).toBe(false);
    expect(live.status()).toMatchObject({
      enforcement: 'shadow',
      enforcementBy: 'ann',
      enforcementUntilMs: clock.now() + 600_000,
      enforcementReason: 'incident',
    });
    await change(live, yaml(5, 'enforcement: off'));
    expect(live.status().enforcement).toBe('shadow');
    await change(live, yaml(5));
    await clock.untilSleeping(1);
    clock.advance('10m');
    await new Promise(setImmediate);
    expect(live.status().enforcement).toBe('on');
    expect(isRefused(limiter)).toBe(true);
    expect(
      events.filter(({ changes }) => changes.some(({ path }) => path === 'enforcement')).map(({ by }) => by),
    ).toEqual(expect.arrayContaining(['ann', undefined]));
    await live.setEnforcement('off', { for: '1d' });
    expect(isRefused(limiter)).toBe(false);
    await live.clearEnforcement();
    expect(isRefused(limiter)).toBe(true);
  });

  it('is what the explanation tells of', async () => {
    const live = await start();
    const sentences = () => live.explain()[0]?.sentences.map(({ text }) => text);
    await live.setEnforcement('off', { for: '1d' });
    expect(sentences()).toContain('Enforcement is off: nothing is counted, and nothing is refused.');
    await live.clearEnforcement();
    expect(sentences()).not.toContain('Enforcement is off: nothing is counted, and nothing is refused.');
  });

  it('of the environment comes before everything', async () => {
    process.env.SLUICE_ENFORCEMENT = 'on';
    source.text = yaml(5, 'enforcement: off');
    const live = await start();
    await live.setEnforcement('shadow', { for: '10m' });
    expect(isRefused(createLimiter(live.policy('api')))).toBe(true);
    expect(live.status()).toMatchObject({ enforcement: 'on', enforcementBy: 'SLUICE_ENFORCEMENT' });
  });

  it('of the environment must have a meaning', async () => {
    process.env.SLUICE_ENFORCEMENT = 'yes';
    await expect(start()).rejects.toThrow('SLUICE_ENFORCEMENT must be on, shadow or off, got "yes"');
  });
});

describe('the status', () => {
  it('has every limit in each tier, as it is enforced now', async () => {
    source.text = `version: 1
tiers: { free: { minute: { limit: 3, window: 1m } }, pro: { minute: { limit: 9, window: 1m } } }
keys: { customer: { header: x-api-key } }
policies:
  api:
    key: customer
    tier: { from: customers, default: free }
    limits: [{ name: minute, tier: true }, { name: burst, algorithm: token-bucket, capacity: 2, refillRate: 1, enforce: 0.5 }]
    rollout: [{ from: 2026-01-01T00:00:00Z, enforce: 0.2 }, { after: 1h, enforce: 1 }]
`;
    const live = await start();
    const limit = (tier: string, quota: number, enforce: number) => ({
      policy: 'api',
      limit: 'minute',
      tier,
      quota,
      windowMs: 60_000,
      enforce,
    });
    const burst = { policy: 'api', limit: 'burst', tier: '', quota: 2, windowMs: undefined };
    expect(live.status().limits).toEqual([limit('free', 3, 0.2), limit('pro', 9, 0.2), { ...burst, enforce: 0.2 }]);
    clock.advance('1h');
    expect(live.status().limits).toEqual([limit('free', 3, 1), limit('pro', 9, 1), { ...burst, enforce: 0.5 }]);
  });
});

describe('the kill switch', () => {
  it('holds for seven days at most', async () => {
    const live = await start();
    await live.setEnforcement('off', { for: '7d' });
    await expect(live.setEnforcement('off', { for: 7 * 86_400_000 + 1 })).rejects.toThrow(
      'for must be at most 7d: to change it for longer, write enforcement into the file, got 604800001',
    );
  });

  it('says in the audit who has set it and taken it back, and why', async () => {
    const lines: string[] = [];
    const live = await start({ audit: { write: (line) => lines.push(line) } });
    await live.setEnforcement('shadow', { for: '1h', by: 'ann', reason: 'incident' });
    await live.clearEnforcement({ by: 'bob', reason: 'over' });
    expect(lines.slice(1).map((line) => JSON.parse(line))).toMatchObject([
      { by: 'ann', reason: 'incident', changes: [{ path: 'enforcement', from: 'on', to: 'shadow' }] },
      { by: 'bob', reason: 'over', changes: [{ path: 'enforcement', from: 'shadow', to: 'on' }] },
    ]);
  });
});
