import { slidingWindow } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterOptions } from './adapter-app.js';
import type { Rules } from './adapter-fixture.js';
import { available, limitFields, ownAnswer, problem } from './answer-fields.js';
import { headerReader } from './header-reader.js';
import { recordedWarnings } from './recorded-warnings.js';

const ONE = { limit: 1, window: '1m' } as const;
const TEN = slidingWindow({ name: 'site', limit: 10, window: '1m' });

const fail = (): never => {
  throw new Error('the directory is down');
};

const UNAUTHORIZED = problem(401, '{"type":"about:blank","title":"Unauthorized","status":401}');

/** `onMissingKey`: requests without a key. */
export const missingKeyRules: Rules = {
  'responds to a request without a key with the status of onMissingKey, and asks, spends and calls nothing': async (
    fixture,
  ) => {
    let calls = 0;
    const call = () => {
      calls += 1;
      return 'called';
    };
    await fixture.serve((tools) => [
      {
        ...ONE,
        keyGenerator: headerReader(tools)('x-api-key'),
        onMissingKey: 401,
        statusCode: 420,
        message: call,
        onDecision: call,
        onLimitReached: call,
      },
    ]);
    for (let i = 0; i < 3; i += 1) {
      const answer = await fixture.get();
      assert.deepEqual(ownAnswer(answer), UNAUTHORIZED);
      assert.deepEqual(limitFields(answer), {});
    }
    assert.deepEqual([fixture.store.asked, fixture.handled.length, calls], [0, 0, 0]);
    assert.deepEqual(await fixture.statuses(2, '/', { 'x-api-key': 'of ann' }), [200, 420]);
  },

  'treats a compound key as missing if one of its parts is missing, also a part from a promise': async (fixture) => {
    await fixture.serve((tools) => {
      const header = headerReader(tools);
      const keyGenerator = [header('x-user'), async (...args: readonly unknown[]) => header('x-model')(...args)];
      return [{ ...ONE, keyGenerator, onMissingKey: 400 }];
    });
    const statuses = (headers: Record<string, string>) => fixture.statuses(1, '/', headers);
    assert.deepEqual(await statuses({ 'x-user': 'a' }), [400]);
    assert.deepEqual(await statuses({ 'x-model': 'b' }), [400]);
    assert.deepEqual(await statuses({ 'x-user': 'a', 'x-model': 'b' }), [200]);
  },

  'gives back the charges of outer policies if an inner one finds no key': async (fixture) => {
    await fixture.serve((tools) => [
      { name: 'site', limit: TEN },
      { name: 'api', ...ONE, keyGenerator: headerReader(tools)('x-api-key'), onMissingKey: 401 },
    ]);
    const answer = await fixture.get();
    assert.deepEqual([answer.status, available(answer)], [401, { site: 10 }]);
    assert.equal(await fixture.left(TEN, 'site', 'site'), 10);
  },

  'counts by the key that onMissingKey returns, at once or as a promise, without a warning': async (fixture) => {
    const codes = await recordedWarnings(async () => {
      await fixture.serve((tools) => {
        const header = headerReader(tools);
        const onMissingKey = (...args: readonly unknown[]) => {
          const session = header('x-session')(...args) ?? 'nobody';
          return session === 'later' ? Promise.resolve('later') : session;
        };
        return [{ limit: 2, window: '1m', keyGenerator: header('x-api-key'), onMissingKey }];
      });
      assert.deepEqual(await fixture.statuses(3, '/', { 'x-session': 'ann' }), [200, 200, 429]);
      assert.deepEqual(await fixture.statuses(3, '/', { 'x-session': 'later' }), [200, 200, 429]);
      assert.deepEqual(await fixture.statuses(3, '/', { 'x-api-key': 'ann' }), [429, 429, 429]);
      assert.deepEqual(await fixture.statuses(25), [200, 200, ...Array.from({ length: 23 }, () => 429)]);
    });
    assert.deepEqual(codes, []);
  },

  ...Object.fromEntries(
    [
      ['throws', fail],
      ['rejects', async () => fail()],
      ['gives none', () => undefined as unknown as string],
      ['gives none later', async () => null as unknown as string],
      ['gives an object', () => ({}) as string],
    ].map(([does, onMissingKey]) => [
      `treats an onMissingKey that ${does as string} as an error, and spends nothing`,
      async (fixture) => {
        const limits = [TEN, { ...ONE, keyGenerator: () => undefined }];
        await fixture.serve([{ limits, onMissingKey } as AdapterOptions]);
        assert.deepEqual(await fixture.statuses(2), [500, 500]);
        assert.equal(await fixture.left(TEN, 'site'), 10);
      },
    ]),
  ),
};
