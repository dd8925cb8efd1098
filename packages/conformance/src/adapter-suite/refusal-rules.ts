import type { Decision } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterOptions } from './adapter-app.js';
import type { Rules } from './adapter-fixture.js';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import { nextTurn } from './next-turn.js';

const NONE = { limit: 0, window: '1m' } as const;
const ONE = { limit: 1, window: '1m' } as const;

const text = (status: number, body: string) => ({
  status,
  type: 'text/plain; charset=utf-8',
  cache: 'no-store',
  body,
});

const json = (status: number, body: unknown) => ({
  status,
  type: 'application/json; charset=utf-8',
  cache: 'no-store',
  body: JSON.stringify(body),
});

const decisionOf = (args: readonly unknown[]): Decision => args.at(-1) as Decision;

/** Messages, and the response that each gives to the second of two requests if the limit is one a minute. */
const MESSAGES: readonly [what: string, options: Partial<AdapterOptions>, sent: Record<string, unknown>][] = [
  ['a text', { message: 'Später, 請稍候' }, text(429, 'Später, 請稍候')],
  ['an empty text', { message: '' }, text(429, '')],
  ['an object', { message: { error: 'slow down', codes: [1] } }, json(429, { error: 'slow down', codes: [1] })],
  ['another status', { statusCode: 420 }, quotaExceeded(['per-1m'], 60, 420)],
  ['another status and a text', { statusCode: 509, message: 'later' }, text(509, 'later')],
  [
    'a function of the decision',
    { message: (...args) => ({ waitMs: decisionOf(args).retryAfterMs }) },
    json(429, { waitMs: 60_000 }),
  ],
  ['a function that returns a promise', { message: async (...args) => decisionOf(args).policy }, text(429, 'default')],
];

/** The response to a refused request. */
export const refusalRules: Rules = {
  ...Object.fromEntries(
    MESSAGES.map(([what, options, sent]) => [
      `sends ${what} instead of the problem`,
      async (fixture) => {
        await fixture.serve([{ ...ONE, ...options } as AdapterOptions]);
        await fixture.get();
        const refused = await fixture.get();
        assert.deepEqual(ownAnswer(refused), sent);
        assert.equal(refused.headers['retry-after'], '60');
        // The body is complete: neither cut by a wrong length nor sent in chunks.
        assert.equal(refused.headers['content-length'], String(new TextEncoder().encode(refused.body).length));
      },
    ]),
  ),

  "passes the request's arguments and then the decision to messages and onLimitReached": async (fixture) => {
    const paths: string[] = [];
    await fixture.serve((tools) => [
      {
        ...NONE,
        onLimitReached: (...args) => void paths.push(tools.requestOf(args).url),
        message: (...args) => `${tools.requestOf(args).method} ${decisionOf(args).tightest.name}`,
      },
    ]);
    assert.equal((await fixture.get('/a?b')).body, 'GET per-1m');
    assert.deepEqual(paths, ['/a?b']);
  },

  'calls onLimitReached once for a refusal, and waits for it before it responds': async (fixture) => {
    let calls = 0;
    let ended = 0;
    const onLimitReached = async () => {
      calls += 1;
      await nextTurn();
      ended += 1;
    };
    await fixture.serve([{ ...ONE, onLimitReached }]);
    await fixture.get();
    assert.equal(calls, 0);
    assert.deepEqual(ownAnswer(await fixture.get()), quotaExceeded(['per-1m'], 60));
    assert.deepEqual([calls, ended], [1, 1]);
  },

  'sends nothing more if onLimitReached has responded itself': async (fixture) => {
    await fixture.serve((tools) => [
      {
        ...ONE,
        message: () => {
          throw new Error('nobody asked');
        },
        onLimitReached: (...args) =>
          tools.answer(args, { status: 418, body: `no more of ${tools.requestOf(args).url}` }),
      },
    ]);
    await fixture.get();
    const refused = await fixture.get('/tea');
    assert.deepEqual([refused.status, refused.body], [418, 'no more of /tea']);
    assert.equal(limitFields(refused)['retry-after'], '60');
    assert.equal((await fixture.get('/tea')).status, 418);
    assert.equal(fixture.handled.length, 1);
  },

  'sends nothing more if onLimitReached responds itself after a while': async (fixture) => {
    await fixture.serve((tools) => [
      {
        ...NONE,
        onLimitReached: async (...args) => {
          await nextTurn();
          await tools.answer(args, { status: 418, body: 'teapot' });
        },
      },
    ]);
    assert.equal((await fixture.get()).body, 'teapot');
    assert.equal((await fixture.get()).body, 'teapot');
  },
};
