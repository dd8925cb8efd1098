import assert from 'node:assert/strict';
import type { Decision } from '../../values/decision.js';
import type { AdapterOptions } from './adapter-app.js';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import type { Rules } from './stage.js';

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

/** Messages and what is sent for them with the second of one request a minute. */
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
  ['a function that answers later', { message: async (...args) => decisionOf(args).policy }, text(429, 'default')],
];

/** What is said with a refusal, and who says it. */
export const refusalRules: Rules = {
  ...Object.fromEntries(
    MESSAGES.map(([what, options, sent]) => [
      `sends ${what} in place of the problem`,
      async (stage) => {
        await stage.serve([{ ...ONE, ...options } as AdapterOptions]);
        await stage.get();
        const refused = await stage.get();
        assert.deepEqual(ownAnswer(refused), sent);
        assert.equal(refused.headers['retry-after'], '60');
        // Sent whole: neither cut by a wrong length nor in chunks.
        assert.equal(refused.headers['content-length'], String(Buffer.byteLength(refused.body)));
      },
    ]),
  ),

  "gives messages and onLimitReached the request's own arguments, the decision last": async (stage) => {
    const paths: string[] = [];
    await stage.serve((tools) => [
      {
        ...NONE,
        onLimitReached: (...args) => void paths.push(tools.requestOf(args).url),
        message: (...args) => `${tools.requestOf(args).method} ${decisionOf(args).tightest.name}`,
      },
    ]);
    assert.equal((await stage.get('/a?b')).body, 'GET per-1m');
    assert.deepEqual(paths, ['/a?b']);
  },

  'calls onLimitReached once for a refusal, and waits for it before it answers': async (stage) => {
    let calls = 0;
    let ended = 0;
    const onLimitReached = async () => {
      calls += 1;
      await new Promise((resolve) => setImmediate(resolve));
      ended += 1;
    };
    await stage.serve([{ ...ONE, onLimitReached }]);
    await stage.get();
    assert.equal(calls, 0);
    assert.deepEqual(ownAnswer(await stage.get()), quotaExceeded(['per-1m'], 60));
    assert.deepEqual([calls, ended], [1, 1]);
  },

  'sends nothing more when onLimitReached has answered itself': async (stage) => {
    await stage.serve((tools) => [
      {
        ...ONE,
        message: () => {
          throw new Error('nobody asked');
        },
        onLimitReached: (...args) =>
          tools.answer(args, { status: 418, body: `no more of ${tools.requestOf(args).url}` }),
      },
    ]);
    await stage.get();
    const refused = await stage.get('/tea');
    assert.deepEqual([refused.status, refused.body], [418, 'no more of /tea']);
    assert.equal(limitFields(refused)['retry-after'], '60');
    assert.equal((await stage.get('/tea')).status, 418);
    assert.equal(stage.handled.length, 1);
  },

  'sends nothing more when onLimitReached answers itself after a while': async (stage) => {
    await stage.serve((tools) => [
      {
        ...NONE,
        onLimitReached: async (...args) => {
          await new Promise((resolve) => setImmediate(resolve));
          await tools.answer(args, { status: 418, body: 'teapot' });
        },
      },
    ]);
    assert.equal((await stage.get()).body, 'teapot');
    assert.equal((await stage.get()).body, 'teapot');
  },
};
