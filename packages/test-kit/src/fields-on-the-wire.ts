import { describe, expect, it } from '@jest/globals';
import type { AdapterOptions, StartAdapter } from '@sluice/conformance';
import { concurrency, fixedWindow, leakyBucket, slidingWindow, tokenBucket, unlimited } from '@sluice/core';
import { type BareItem, parseDictionary, parseList } from 'structured-headers';
import type { Answer } from './textbook/app.js';
import { withApps } from './textbook/with-apps.js';

/** A List as its names, or numbers, with their parameters. */
function listOf(field: string | undefined): [BareItem, Record<string, BareItem>][] {
  return parseList(field ?? '').map(([item, parameters]) => [item as BareItem, Object.fromEntries(parameters)]);
}

/** A Dictionary of bare items. */
function dictionaryOf(field: string | undefined): Record<string, BareItem> {
  return Object.fromEntries([...parseDictionary(field ?? '')].map(([name, [value]]) => [name, value as BareItem]));
}

/** The header fields that say anything of limits. */
function limitFields({ headers }: Answer): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /ratelimit|retry-after/.test(name)));
}

const burst = fixedWindow({ limit: 3, window: '10s', name: 'burst' });
const daily = fixedWindow({ limit: 100, window: '1d', name: 'daily' });

/**
 * Reads the header fields of a host's answers as a client would, with a parser of structured fields.
 *
 * @param name - of the host: the tests are listed under it.
 * @param startHost - serves an application, as for `adapterSuite`.
 * @example fieldsOnTheWire('Express 5', startOn(express));
 */
export function fieldsOnTheWire(name: string, startHost: StartAdapter): void {
  withApps(name, startHost, (start) => {
    describe.each<AdapterOptions['standardHeaders']>([undefined, true, 'draft-11', 'draft-8'])(
      'With standardHeaders %s',
      (standardHeaders) => {
        const own = { legacyHeaders: false, ...(standardHeaders !== undefined && { standardHeaders }) };

        it('an answer has two Lists, with an item for each limit in the order of the policy', async () => {
          const app = await start({ limits: [burst, daily], ...own });
          const answer = await app.ask();
          expect(Object.keys(limitFields(answer)).sort()).toEqual(['ratelimit', 'ratelimit-policy']);
          expect(listOf(answer.headers['ratelimit-policy'])).toEqual([
            ['burst', { q: 3, w: 10 }],
            ['daily', { q: 100, w: 86_400 }],
          ]);
          expect(listOf(answer.headers.ratelimit)).toEqual([
            ['burst', { r: 2, t: 10 }],
            ['daily', { r: 99, t: 86_400 }],
          ]);
        });

        it('a refusal tells when to come back, the same in t, Retry-After and the body', async () => {
          const app = await start({ limits: [burst, daily], ...own });
          await app.inTurn(3);
          const { status, headers, body } = await app.at(2500).ask();
          expect(status).toBe(429);
          expect(listOf(headers.ratelimit)).toEqual([
            ['burst', { r: 0, t: 8 }],
            ['daily', { r: 97, t: 86_398 }],
          ]);
          expect(headers).toMatchObject({
            'retry-after': '8',
            'cache-control': 'no-store',
            'content-type': 'application/problem+json',
          });
          expect(body).toMatchObject({ detail: 'Try again in 8 seconds.', 'violated-policies': ['burst'] });
        });

        it.each<[string, AdapterOptions, policy: Record<string, BareItem>, limit: Record<string, BareItem>]>([
          [
            'a window of less than a second has no w',
            { limit: slidingWindow({ limit: 3, window: '999ms' }) },
            { q: 3 },
            { r: 2, t: 1 },
          ],
          [
            'a window of a second and a half is rounded up',
            { limit: slidingWindow({ limit: 3, window: 1500 }) },
            { q: 3, w: 2 },
            { r: 2, t: 2 },
          ],
          [
            'a bucket has its fill time for a window, and the time that refills what is left',
            { limit: tokenBucket({ capacity: 20, refillRate: 3 }), cost: 5 },
            { q: 20, w: 7 },
            { r: 15, t: 5 },
          ],
          [
            'a bucket with too little left for the same again tells when that fits',
            { limit: tokenBucket({ capacity: 20, refillRate: 3 }), cost: 12 },
            { q: 20, w: 7 },
            { r: 8, t: 2 },
          ],
          [
            'a bucket that never refills has neither w nor t',
            { limit: tokenBucket({ capacity: 20, refillRate: 0 }) },
            { q: 20 },
            { r: 19 },
          ],
          ['a queue is a bucket', { limit: leakyBucket({ capacity: 5, leakRate: 1 }) }, { q: 5, w: 5 }, { r: 4, t: 4 }],
          [
            'a limit of concurrency says its unit',
            { limit: concurrency({ limit: 2, lease: '30s' }) },
            { q: 2, qu: 'concurrent-requests' },
            { r: 1, t: 1 },
          ],
        ])('%s', async (_name, options, policy, limit) => {
          const app = await start({ name: 'only', ...options, ...own });
          const { headers } = await app.ask();
          expect(listOf(headers['ratelimit-policy'])).toEqual([['only', policy]]);
          expect(listOf(headers.ratelimit)).toEqual([['only', limit]]);
        });

        it('names with quotes and backslashes come back whole', async () => {
          const names = ['a "quoted" name', 'C:\\limits', '\\"', ' ~'];
          const app = await start({ limits: names.map((name) => ({ name, limit: 1, window: '1m' })), ...own });
          await app.ask();
          const { headers, body } = await app.ask();
          expect(listOf(headers['ratelimit-policy']).map(([name]) => name)).toEqual(names);
          expect(listOf(headers.ratelimit).map(([name]) => name)).toEqual(names);
          expect(body['violated-policies']).toEqual(names);
        });
      },
    );

    it('With draft-7 an answer has a Dictionary about the tightest limit, and a List of quotas', async () => {
      const app = await start({ limits: [daily, burst], standardHeaders: 'draft-7', legacyHeaders: false });
      const { headers } = await app.ask();
      expect(dictionaryOf(headers.ratelimit)).toEqual({ limit: 3, remaining: 2, reset: 10 });
      expect(listOf(headers['ratelimit-policy'])).toEqual([
        [100, { w: 86_400 }],
        [3, { w: 10 }],
      ]);
      await app.inTurn(2);
      const refused = await app.at(2500).ask();
      expect(dictionaryOf(refused.headers.ratelimit)).toEqual({ limit: 3, remaining: 0, reset: 8 });
      expect(refused.headers['retry-after']).toBe('8');
    });

    it('With draft-6 an answer has a field for each number of the tightest limit, and a List of quotas', async () => {
      const app = await start({ limits: [daily, burst], standardHeaders: 'draft-6', legacyHeaders: false });
      expect(limitFields(await app.ask())).toEqual({
        'ratelimit-policy': '100;w=86400, 3;w=10',
        'ratelimit-limit': '3',
        'ratelimit-remaining': '2',
        'ratelimit-reset': '10',
      });
    });

    it('The legacy fields tell of the tightest limit, and none but them are sent without the standard ones', async () => {
      const app = await start({ limits: [daily, burst], standardHeaders: false });
      const legacy = { 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '2', 'x-ratelimit-reset': '10' };
      expect(limitFields(await app.ask())).toEqual(legacy);
    });

    it('Nothing but Retry-After is sent with neither', async () => {
      const app = await start({ limit: burst, standardHeaders: false, legacyHeaders: false });
      expect(limitFields(await app.ask())).toEqual({});
      await app.inTurn(2);
      expect(limitFields(await app.ask())).toEqual({ 'retry-after': '10' });
    });

    it.each<[string, AdapterOptions]>([
      ['A request that is skipped', { limit: 1, window: '1m', skip: () => true }],
      ['A request whose tier is unlimited', { limit: () => unlimited() }],
      ['A request from an address on the allow list', { limit: 1, window: '1m', allowList: ['127.0.0.0/8'] }],
      ['A request that is only watched', { limit: 1, window: '1m', enforce: 0 }],
    ])('%s gets no header field about limits', async (_name, options) => {
      const app = await start(options);
      for (let i = 0; i < 3; i += 1) {
        const answer = await app.ask();
        expect(answer.status).toBe(200);
        expect(limitFields(answer)).toEqual({});
      }
    });

    it('An unlimited tier beside a limit has no item', async () => {
      const app = await start({ limits: [{ name: 'tier', limit: () => unlimited() }, burst] });
      const { headers } = await app.ask();
      expect(listOf(headers.ratelimit)).toEqual([['burst', { r: 2, t: 10 }]]);
      expect(headers['x-ratelimit-limit']).toBe('3');
    });

    it('HEAD gets the header fields too, and shares the allowance of GET', async () => {
      const app = await start({ limit: burst });
      await app.ask();
      const head = await app.ask({ method: 'head' });
      expect(listOf(head.headers.ratelimit)).toEqual([['burst', { r: 1, t: 10 }]]);
      await app.ask();
      const refused = await app.ask({ method: 'head' });
      expect(refused.status).toBe(429);
      expect(refused.headers).toMatchObject({ 'retry-after': '10', 'x-ratelimit-remaining': '0' });
      expect(listOf(refused.headers.ratelimit)).toEqual([['burst', { r: 0, t: 10 }]]);
    });

    it('A chain of limiters tells of all limits, by policy where a name comes again', async () => {
      const app = await start([
        { name: 'outer', limits: [burst] },
        { name: 'inner', limits: [burst, daily] },
      ]);
      const { headers } = await app.ask();
      expect(listOf(headers.ratelimit)).toEqual([
        ['burst', { r: 2, t: 10 }],
        ['inner:burst', { r: 2, t: 10 }],
        ['daily', { r: 99, t: 86_400 }],
      ]);
      expect(listOf(headers['ratelimit-policy']).map(([name]) => name)).toEqual(['burst', 'inner:burst', 'daily']);
    });
  });
}
