import type { BlockOrder } from '@sluice/core';
import { ipKey } from '@sluice/core/http';
import { encodeKey } from '@sluice/core/values';
import * as assert from '../assert.js';
import type { AdapterFixture, Rules } from './adapter-fixture.js';
import { limitFields, ownAnswer, problem } from './answer-fields.js';

const MANY = { limit: 100, window: '1m' } as const;

const TYPE = 'https://iana.org/assignments/http-problem-types#abnormal-usage-detected';

const abnormalUsage = (status: number, detail: string) =>
  problem(
    status,
    `{"type":"${TYPE}","title":"Abnormal Usage Detected","status":${status},"detail":"${detail}","violated-policies":["per-1m"]}`,
  );

/** Blocks the client's address in the policy. */
async function block(fixture: AdapterFixture, forMs: BlockOrder['forMs']): Promise<void> {
  const targets = [{ policy: 'default', name: 'per-1m', key: encodeKey(ipKey('127.0.0.1')) }];
  await fixture.store.blocks.block({ targets, forMs });
}

/** Clients that somebody has blocked by hand. */
export const blockRules: Rules = {
  'refuses a blocked client with 429 and the end of the block, and admits it afterwards': async (fixture) => {
    await fixture.serve([MANY]);
    await fixture.get();
    await block(fixture, 90_000);
    const answer = await fixture.get();
    assert.deepEqual(ownAnswer(answer), abnormalUsage(429, 'Access is blocked. Try again in 90 seconds.'));
    assert.equal(answer.headers['retry-after'], '90');
    assert.equal(limitFields(answer).ratelimit, '"per-1m";r=0;t=90');
    assert.equal(fixture.handled.length, 1);
    fixture.clock.advance(90_000);
    assert.deepEqual(await fixture.statuses(1), [200]);
  },

  'refuses a client that is blocked for ever with 403, and tells it no time to come again': async (fixture) => {
    await fixture.serve([MANY]);
    await block(fixture, 'forever');
    const answer = await fixture.get();
    assert.deepEqual(ownAnswer(answer), abnormalUsage(403, 'Access is blocked.'));
    assert.equal(answer.headers['retry-after'], undefined);
    assert.equal(limitFields(answer).ratelimit, '"per-1m";r=0');
  },

  'calls onLimitReached for a blocked client, and uses the status and the message of the policy': async (fixture) => {
    const reached: unknown[] = [];
    await fixture.serve([
      {
        ...MANY,
        statusCode: 420,
        message: 'stay away',
        onLimitReached: (...args) => {
          reached.push((args.at(-1) as { tightest: { blocked?: true } }).tightest.blocked);
        },
      },
    ]);
    await block(fixture, 'forever');
    const answer = await fixture.get();
    assert.deepEqual([answer.status, answer.body, reached], [420, 'stay away', [true]]);
  },

  'lets a blocked client pass where the policy is not enforced': async (fixture) => {
    await fixture.serve([{ ...MANY, enforce: 0 }]);
    await block(fixture, 'forever');
    assert.deepEqual(await fixture.statuses(1), [200]);
  },
};
