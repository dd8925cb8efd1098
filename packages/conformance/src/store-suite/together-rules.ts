import {
  concurrency,
  fixedWindow,
  type LimitCheck,
  leakyBucket,
  SluiceError,
  slidingWindow,
  tokenBucket,
} from '@sluice/core';
import * as assert from '../assert.js';
import { EVERY_LIMIT } from './every-limit.js';
import { exactly, needing, type Rule, type Rules, type StoreFixture, withSlots } from './store-fixture.js';

const ROOMY = slidingWindow({ limit: 10, window: '1m' });
const QUEUE = leakyBucket({ capacity: 3, leakRate: 1 });
const TIGHT = fixedWindow({ limit: 1, window: '1m' });

/** A rule about leaky buckets. */
const withLeakyBuckets = (rule: Rules[string]): Rule => needing('leaky-bucket', rule);

async function refusesTogether(
  fixture: StoreFixture,
  checks: readonly LimitCheck[],
  refusing: LimitCheck,
): Promise<void> {
  assert.equal((await fixture.consume(checks)).allowed, true);
  const before = await fixture.peek(checks);
  const refused = await fixture.consume(checks);
  assert.equal(refused.allowed, false);
  assert.deepEqual(
    refused.verdicts.map(({ allowed }) => allowed),
    checks.map((check) => check !== refusing),
    'a verdict is the result of its own limit',
  );
  const after = await fixture.peek(checks);
  assert.deepEqual(after.verdicts, before.verdicts, 'a refused request spends nothing');
}

/** Several checks in one request. */
export const togetherRules: Rules = {
  async 'spends all checks or none, in any order'(fixture) {
    const roomy = fixture.check(ROOMY, { name: 'roomy' });
    const tight = fixture.check(TIGHT, { name: 'tight' });
    await refusesTogether(fixture, [roomy, tight], tight);
    await fixture.reset(roomy, tight);
    await refusesTogether(fixture, [tight, roomy], tight);
  },

  'spends all checks or none across keys': needing('acrossKeys', async (fixture) => {
    const roomy = fixture.check(ROOMY, { key: 'ann' });
    const tight = fixture.check(TIGHT, { key: 'bob', name: 'tight' });
    await refusesTogether(fixture, [roomy, tight], tight);
  }),

  'keeps a leaky bucket unchanged if a limit of another subject refuses': withLeakyBuckets(async (fixture) => {
    const queue = fixture.check(QUEUE, { key: 'ann', name: 'queue' });
    const tight = fixture.check(TIGHT, { key: 'bob', name: 'tight' });
    await fixture.consume(tight);
    for (const checks of [
      [queue, tight],
      [tight, queue],
    ]) {
      assert.equal((await fixture.consume(checks)).allowed, false);
      assert.equal(await fixture.remaining(queue), 3);
    }
  }),

  'fills leaky buckets of two subjects together, or fails and fills none': withLeakyBuckets(async (fixture) => {
    const full = fixture.check(QUEUE, { key: 'bob', name: 'full' });
    await fixture.consume({ ...full, cost: 3 });
    const checks = [fixture.check(QUEUE, { key: 'ann', name: 'queue' }), full];
    try {
      assert.equal((await fixture.consume(checks)).allowed, false);
    } catch (error) {
      assert.ok(!fixture.store.supports.atomicAcrossKeys, 'one step reaches both');
      assert.equal(error instanceof SluiceError && error.code, 'SLUICE_UNSUPPORTED');
    }
    assert.equal(await fixture.remaining(checks[0] as LimitCheck), 3);
  }),

  'spends every algorithm together': exactly(async (fixture) => {
    const checks = Object.entries(EVERY_LIMIT).map(([name, limit]) => fixture.check(limit, { name }));
    const reply = await fixture.consume(checks, { id: 'request-1' });
    assert.equal(reply.allowed, true);
    assert.deepEqual(
      reply.verdicts.map(({ name, remaining }) => [name, remaining]),
      checks.map(({ name }) => [name, 3]),
    );
    const tight = fixture.check(slidingWindow({ limit: 0, window: '1s' }), { name: 'tight' });
    const before = await fixture.peek(checks);
    assert.equal((await fixture.consume([...checks, tight], { id: 'request-2' })).allowed, false);
    assert.deepEqual(
      (await fixture.peek(checks)).verdicts.map(({ remaining }) => remaining),
      before.verdicts.map(({ name, remaining }) => remaining - (name.includes('counts') ? 1 : 0)),
    );
  }),

  async 'never refuses because of a shadow check, which spends only what it would admit'(fixture) {
    const shadow = fixture.check(TIGHT, { name: 'shadow', shadow: true });
    const roomy = fixture.check(ROOMY, { name: 'roomy' });
    assert.equal((await fixture.consume([shadow, roomy])).allowed, true);
    const second = await fixture.consume([shadow, roomy]);
    assert.equal(second.allowed, true);
    assert.deepEqual(
      second.verdicts.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [false, 0],
        [true, 8],
      ],
    );
    assert.equal((await fixture.consume(fixture.check(TIGHT, { name: 'alone', shadow: true, cost: 2 }))).allowed, true);
    assert.equal(await fixture.remaining(fixture.check(TIGHT, { name: 'alone' })), 1);
  },

  async 'spends nothing on a shadow check when an enforced one refuses'(fixture) {
    const shadow = fixture.check(ROOMY, { name: 'shadow', shadow: true });
    const tight = fixture.check(TIGHT, { name: 'tight' });
    await fixture.consume([shadow, tight]);
    await fixture.consume([shadow, tight]);
    assert.equal(await fixture.remaining(shadow), 9);
  },

  'takes the units that fit on all checks, if asked for at least some of them': exactly(async (fixture) => {
    const small = fixture.check(tokenBucket({ capacity: 7, refillRate: 1 }), { name: 'small', cost: 10 });
    const large = fixture.check(tokenBucket({ capacity: 20, refillRate: 1 }), { name: 'large', cost: 10 });
    const first = await fixture.consume([large, small], { atLeast: 3 });
    assert.deepEqual([first.allowed, first.taken], [true, 7]);
    assert.deepEqual(
      first.verdicts.map(({ remaining }) => remaining),
      [13, 0],
    );
    fixture.clock.advance(2999);
    const tooEarly = await fixture.consume([large, small], { atLeast: 3 });
    assert.deepEqual([tooEarly.allowed, tooEarly.taken], [false, 0]);
    assert.equal(await fixture.remaining(large), 15, 'nothing was taken from any');
    fixture.clock.advance(1);
    assert.equal((await fixture.consume([large, small], { atLeast: 3 })).taken, 3);
    const plenty = fixture.check(tokenBucket({ capacity: 99, refillRate: 1 }), { name: 'plenty', cost: 10 });
    assert.equal((await fixture.consume(plenty, { atLeast: 1 })).taken, 10, 'no more than the cost');
  }),

  'starts no block on a limit that had enough units': exactly(async (fixture) => {
    const blocking = fixture.check(tokenBucket({ capacity: 5, refillRate: 1, blockDuration: '1h' }), { cost: 10 });
    const closed = fixture.check(tokenBucket({ capacity: 0, refillRate: 1 }), { name: 'closed', cost: 10 });
    assert.equal((await fixture.consume([blocking, closed], { atLeast: 1 })).allowed, false);
    assert.equal(await fixture.remaining(blocking), 5);
  }),

  'takes the units that fit on the enforced checks, whatever fits on a shadow check': exactly(async (fixture) => {
    const shadow = fixture.check(tokenBucket({ capacity: 3, refillRate: 1 }), {
      name: 'shadow',
      cost: 10,
      shadow: true,
    });
    const enforced = fixture.check(tokenBucket({ capacity: 7, refillRate: 1 }), { name: 'enforced', cost: 10 });
    const reply = await fixture.consume([shadow, enforced], { atLeast: 4 });
    assert.deepEqual([reply.allowed, reply.taken], [true, 7]);
    assert.equal(await fixture.remaining(shadow), 3);
  }),

  async 'takes the whole cost if only shadow checks are asked'(fixture) {
    const shadow = fixture.check(tokenBucket({ capacity: 3, refillRate: 1 }), { cost: 10, shadow: true });
    const reply = await fixture.consume(shadow, { atLeast: 4 });
    assert.deepEqual([reply.allowed, reply.taken], [true, 10]);
  },

  'reports on a peek how many units could be taken': exactly(async (fixture) => {
    const check = fixture.check(tokenBucket({ capacity: 7, refillRate: 1 }), { cost: 10 });
    assert.equal((await fixture.peek(check, { atLeast: 3 })).taken, 7);
    assert.equal(await fixture.remaining(check), 7);
  }),

  'takes one slot on every concurrency check, each with the lease of its limit': withSlots(async (fixture) => {
    const short = fixture.check(concurrency({ limit: 1, lease: '1s' }), { name: 'short' });
    const long = fixture.check(concurrency({ limit: 1, lease: '9s' }), { name: 'long' });
    const { verdicts } = await fixture.consume([short, long], { id: 'a' });
    assert.deepEqual(
      verdicts.map(({ resetAfterMs }) => resetAfterMs),
      [1000, 9000],
    );
  }),
};
