import { concurrency, type Decision, fixedWindow, slidingWindow } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterOptions } from './adapter-app.js';
import { OK, type Rules } from './adapter-fixture.js';
import { limitFields } from './answer-fields.js';
import type { ClientAnswer } from './client.js';
import { recordedWarnings } from './recorded-warnings.js';

const ONE = { limit: 1, window: '1m' } as const;
const PLAIN = { ...ONE, standardHeaders: false, legacyHeaders: false } as const;
const SLOT = concurrency({ limit: 1, lease: '30s' });
const TEN = slidingWindow({ name: 'site', limit: 10, window: '1m' });

const decisionOf = (args: readonly unknown[]): Decision => args.at(-1) as Decision;

/** Returns the fields of a response whose names have this prefix. */
const fieldsOf = ({ headers }: ClientAnswer, prefix = 'x-'): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix) && name !== 'x-powered-by'));

/** What a function may return by mistake, or because of a client; and the fields that are sent. */
const HOSTILE: Readonly<Record<string, Record<string, unknown>>> = {
  'a line break in a value': { 'X-Bad': 'a\r\nSet-Cookie: b=c' },
  'a line break in a name': { 'X-Bad\r\nX-Worse': 'a' },
  'no name': { '': 'a' },
  'a value above ASCII': { 'X-Bad': 'é' },
  'an object for a value': { 'X-Bad': {} },
  'a number that is none': { 'X-Bad': Number.NaN },
  'null for a value': { 'X-Bad': null },
  'the length of the body': { 'content-length': '1' },
  'its encoding': { 'Transfer-Encoding': 'chunked' },
  'its type': { 'Content-Type': 'text/html' },
  'a field of the draft': { ratelimit: '"x";r=9' },
  'a legacy field': { 'x-ratelimit-limit': '9' },
  'Retry-After': { 'retry-after': '9' },
};

const failing: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('the directory is down');
  },
  rejects: async () => {
    throw new Error('the directory is down');
  },
  'answers with text': () => 'X-Plan: free',
  'answers with a list': async () => [['X-Plan', 'free']],
  'answers with a Map': () => new Map([['X-Plan', 'free']]),
};

/** Additional fields and their names. */
export const ownFieldRules: Rules = {
  'sends the record of extraHeaders in admitted and refused responses': async (fixture) => {
    await fixture.serve([{ ...PLAIN, extraHeaders: { 'X-Plan': 'free', 'X-Day': 7, 'X-None': undefined } }]);
    for (const status of [200, 429]) {
      const answer = await fixture.get();
      assert.deepEqual([answer.status, fieldsOf(answer)], [status, { 'x-plan': 'free', 'x-day': '7' }]);
    }
  },

  'sends the fields that extraHeaders returns for the request and the decision, at once or as a promise': async (
    fixture,
  ) => {
    await fixture.serve((tools) => [
      {
        ...PLAIN,
        extraHeaders: (...args) => {
          const fields = {
            'X-Path': tools.requestOf(args).url,
            'X-Left': decisionOf(args).tightest.remaining,
            ...(!decisionOf(args).allowed && { 'X-Wait': String(decisionOf(args).retryAfterMs) }),
          };
          return tools.requestOf(args).url === '/later' ? Promise.resolve(fields) : fields;
        },
      },
    ]);
    assert.deepEqual(fieldsOf(await fixture.get('/later')), { 'x-path': '/later', 'x-left': '0' });
    for (const path of ['/', '/later'])
      assert.deepEqual(fieldsOf(await fixture.get(path)), { 'x-path': path, 'x-left': '0', 'x-wait': '60000' });
  },

  'also sends extraHeaders if the store fails, and with another body': async (fixture) => {
    await fixture.serve([
      { ...PLAIN, onStoreError: 'deny', message: 'soon', extraHeaders: () => ({ 'X-Plan': 'free' }) },
    ]);
    fixture.store.failure = new Error('the connection is lost');
    const denied = await fixture.get();
    assert.deepEqual([denied.status, denied.body, fieldsOf(denied)], [503, 'soon', { 'x-plan': 'free' }]);
  },

  ...Object.fromEntries(
    ['/', '/refused', '/failing'].map((path) => [
      `sends the Set-Cookie, Vary and Link of every policy of the request, at ${path}`,
      async (fixture) => {
        const extraHeaders = (name: string) => ({ 'Set-Cookie': `${name}=1`, vary: `X-${name}`, Link: `</${name}>` });
        await fixture.serve(
          (tools) => [
            { name: 'outer', limit: TEN, extraHeaders: extraHeaders('outer') },
            {
              name: 'inner',
              limit: (...args) => (tools.requestOf(args).url === '/refused' ? 0 : 10),
              window: '1m',
              extraHeaders: () => extraHeaders('inner'),
            },
          ],
          () => {
            if (path === '/failing') throw new Error('the handler is broken');
            return OK;
          },
        );
        const { headers, status } = await fixture.get(path);
        assert.equal(status, { '/': 200, '/refused': 429, '/failing': 500 }[path]);
        assert.equal(headers['set-cookie']?.join(), 'outer=1,inner=1');
        assert.ok(headers.vary?.includes('X-outer, X-inner'), `Vary is ${headers.vary}`);
        assert.equal(headers.link, '</outer>, </inner>');
      },
    ]),
  ),

  'sends no extraHeaders if no limit was asked': async (fixture) => {
    await fixture.serve(
      [{ ...PLAIN, allowList: ['203.0.113.7'], denyList: ['203.0.113.8'], extraHeaders: { 'X-Plan': 'free' } }],
      () => OK,
      { trustsLoopback: true },
    );
    for (const address of ['203.0.113.7', '203.0.113.8'])
      assert.deepEqual(fieldsOf(await fixture.get('/', { 'x-forwarded-for': address }), 'x-plan'), {});
  },

  ...Object.fromEntries(
    Object.entries(HOSTILE).map(([what, fields]) => [
      `leaves out ${what} that extraHeaders returns, warns once, and sends the rest`,
      async (fixture) => {
        const codes = await recordedWarnings(async () => {
          await fixture.serve([{ ...ONE, extraHeaders: () => ({ ...fields, 'X-Good': 'yes' }) } as AdapterOptions]);
          for (const [status, retryAfter] of [
            [200, undefined],
            [429, '60'],
          ]) {
            const { headers, body, ...answer } = await fixture.get();
            assert.deepEqual([answer.status, headers['x-good'], headers['x-bad']], [status, 'yes', undefined]);
            assert.deepEqual([headers['x-ratelimit-limit'], headers['retry-after']], ['1', retryAfter]);
            assert.equal(headers.ratelimit, '"per-1m";r=0;t=60');
            assert.equal(headers['set-cookie'], undefined);
            assert.equal(body.length, Number(headers['content-length']));
          }
        });
        assert.deepEqual(codes, ['SLUICE_FIELD_LEFT_OUT']);
      },
    ]),
  ),

  ...Object.fromEntries(
    Object.entries(failing).map(([does, extraHeaders]) => [
      `treats an extraHeaders that ${does} as an error, and spends nothing`,
      async (fixture) => {
        const options = { limits: [TEN, SLOT], extraHeaders } as AdapterOptions;
        await fixture.serve([{ name: 'outer', limit: TEN }, options]);
        for (let i = 0; i < 2; i += 1) assert.equal((await fixture.get()).status, 500);
        assert.equal(fixture.handled.length, 0);
        assert.equal(await fixture.left(TEN, 'site', 'outer'), 10);
        assert.equal(await fixture.left(TEN, 'site'), 10);
        assert.equal(await fixture.left(SLOT, 'concurrency'), 1);
      },
    ]),
  ),

  // If a handler never begins, the slot is freed at the latest one lease later.
  'frees the slot of a client that leaves while extraHeaders is awaited': async (fixture) => {
    let asked = 0;
    const extraHeaders = (): Promise<Record<string, string>> => {
      asked += 1;
      return new Promise(() => {});
    };
    await fixture.serve([{ limit: SLOT, extraHeaders }]);
    const client = fixture.begin();
    await fixture.until('extraHeaders is asked', () => asked === 1);
    client.leave();
    await fixture.until('the slot is free', async () => {
      fixture.clock.advance(5000);
      return (await fixture.left(SLOT, 'concurrency')) === 1;
    });
    assert.equal(fixture.handled.length, 0);
  },

  'sends the legacy fields under custom names, and leaves out those that are false': async (fixture) => {
    const legacyHeaders = { limit: 'X-Limit', remaining: 'X-Left', reset: false, retryAfter: 'X-Retry-After' } as const;
    await fixture.serve([{ ...ONE, standardHeaders: false, legacyHeaders }]);
    assert.deepEqual(fieldsOf(await fixture.get()), { 'x-limit': '1', 'x-left': '0' });
    const refused = await fixture.get();
    assert.deepEqual(fieldsOf(refused), { 'x-limit': '1', 'x-left': '0', 'x-retry-after': '60' });
    assert.deepEqual(limitFields(refused), { 'retry-after': '60' });
  },

  'sends the reset as a date: the same in the whole window, and the first second that is not too early': async (
    fixture,
  ) => {
    const limit = fixedWindow({ limit: 3, window: 61_234 });
    await fixture.serve([{ limit, standardHeaders: false, legacyHeaders: { resetAs: 'epoch' } }]);
    fixture.clock.advance(777);
    const reset = Math.ceil((fixture.clock.now() + 61_234) / 1000);
    for (const laterMs of [0, 1, 222, 223, 500, 999, 1000, 30_001]) {
      fixture.clock.advance(laterMs);
      assert.equal((await fixture.get()).headers['x-ratelimit-reset'], String(reset), `${laterMs} ms later`);
    }
    fixture.clock.set(reset * 1000);
    assert.equal((await fixture.get()).status, 200);
  },

  'sends Retry-After under another name, or not at all, if the policy says so': async (fixture) => {
    await fixture.serve((tools) => [
      {
        ...PLAIN,
        name: 'renamed',
        retryAfter: false,
        legacyHeaders: { limit: false, remaining: false, reset: false, retryAfter: 'X-Wait' },
        skip: (...args) => tools.requestOf(args).url !== '/renamed',
      },
      {
        ...PLAIN,
        name: 'none',
        legacyHeaders: { limit: false, remaining: false, reset: false, retryAfter: false },
        skip: (...args) => tools.requestOf(args).url !== '/none',
      },
    ]);
    for (const path of ['/renamed', '/none']) assert.equal((await fixture.get(path)).status, 200);
    const renamed = await fixture.get('/renamed');
    assert.deepEqual([limitFields(renamed), fieldsOf(renamed)], [{}, { 'x-wait': '60' }]);
    const none = await fixture.get('/none');
    assert.deepEqual([none.status, limitFields(none), fieldsOf(none)], [429, {}, {}]);
  },
};
