import assert from 'node:assert/strict';
import { leakyBucket } from '../../algorithms/buckets/leaky.js';
import { tokenBucket } from '../../algorithms/buckets/token.js';
import { concurrency } from '../../algorithms/concurrency.js';
import { fixedWindow } from '../../algorithms/fixed-window.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import type { Check } from '../../stores/store.js';
import { SluiceError } from '../../values/error.js';
import { type Bench, exactly, type Rules, withSlots } from './bench.js';
import { EVERY_LIMIT } from './every-limit.js';

const ROOMY = slidingWindow({ limit: 10, window: '1m' });
const QUEUE = leakyBucket({ capacity: 3, leakRate: 1 });
const TIGHT = fixedWindow({ limit: 1, window: '1m' });

/** A rule about leaky buckets. */
const withLeakyBuckets =
  (rule: Rules[string]): Rules[string] =>
  async (bench) => {
    if (bench.takes(QUEUE)) await rule(bench);
  };

async function refusesTogether(bench: Bench, checks: readonly Check[], refusing: Check): Promise<void> {
  assert.equal((await bench.consume(checks)).allowed, true);
  const before = await bench.peek(checks);
  const refused = await bench.consume(checks);
  assert.equal(refused.allowed, false);
  assert.deepEqual(
    refused.verdicts.map(({ allowed }) => allowed),
    checks.map((check) => check !== refusing),
    'a verdict is the answer of its own limit',
  );
  const after = await bench.peek(checks);
  assert.deepEqual(after.verdicts, before.verdicts, 'a refused request spends nothing');
}

/** Several checks in one question. */
export const togetherRules: Rules = {
  async 'spends all checks or none, in whatever order they stand'(bench) {
    const roomy = bench.check(ROOMY, { name: 'roomy' });
    const tight = bench.check(TIGHT, { name: 'tight' });
    await refusesTogether(bench, [roomy, tight], tight);
    await bench.reset(roomy, tight);
    await refusesTogether(bench, [tight, roomy], tight);
  },

  async 'spends all checks or none across keys, if it says so'(bench) {
    if (!bench.store.supports.atomicAcrossKeys) return;
    const roomy = bench.check(ROOMY, { key: 'ann' });
    const tight = bench.check(TIGHT, { key: 'bob', name: 'tight' });
    await refusesTogether(bench, [roomy, tight], tight);
  },

  'fills no leaky bucket by requests that a limit of another subject refuses': withLeakyBuckets(async (bench) => {
    const queue = bench.check(QUEUE, { key: 'ann', name: 'queue' });
    const tight = bench.check(TIGHT, { key: 'bob', name: 'tight' });
    await bench.consume(tight);
    for (const checks of [
      [queue, tight],
      [tight, queue],
    ]) {
      assert.equal((await bench.consume(checks)).allowed, false);
      assert.equal(await bench.remaining(queue), 3);
    }
  }),

  'fills leaky buckets of two subjects together, or refuses to be asked and fills none': withLeakyBuckets(
    async (bench) => {
      const full = bench.check(QUEUE, { key: 'bob', name: 'full' });
      await bench.consume({ ...full, cost: 3 });
      const checks = [bench.check(QUEUE, { key: 'ann', name: 'queue' }), full];
      try {
        assert.equal((await bench.consume(checks)).allowed, false);
      } catch (error) {
        assert.ok(!bench.store.supports.atomicAcrossKeys, 'one step reaches both');
        assert.equal(error instanceof SluiceError && error.code, 'SLUICE_UNSUPPORTED');
      }
      assert.equal(await bench.remaining(checks[0] as Check), 3);
    },
  ),

  'spends every algorithm together': exactly(async (bench) => {
    const checks = Object.entries(EVERY_LIMIT).map(([name, limit]) => bench.check(limit, { name }));
    const reply = await bench.consume(checks, { id: 'request-1' });
    assert.equal(reply.allowed, true);
    assert.deepEqual(
      reply.verdicts.map(({ name, remaining }) => [name, remaining]),
      checks.map(({ name }) => [name, 3]),
    );
    const tight = bench.check(slidingWindow({ limit: 0, window: '1s' }), { name: 'tight' });
    const before = await bench.peek(checks);
    assert.equal((await bench.consume([...checks, tight], { id: 'request-2' })).allowed, false);
    assert.deepEqual(
      (await bench.peek(checks)).verdicts.map(({ remaining }) => remaining),
      before.verdicts.map(({ name, remaining }) => remaining - (name.includes('counts') ? 1 : 0)),
    );
  }),

  async 'never refuses for a shadow check, which spends only what it would admit'(bench) {
    const shadow = bench.check(TIGHT, { name: 'shadow', shadow: true });
    const roomy = bench.check(ROOMY, { name: 'roomy' });
    assert.equal((await bench.consume([shadow, roomy])).allowed, true);
    const second = await bench.consume([shadow, roomy]);
    assert.equal(second.allowed, true);
    assert.deepEqual(
      second.verdicts.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [false, 0],
        [true, 8],
      ],
    );
    assert.equal((await bench.consume(bench.check(TIGHT, { name: 'alone', shadow: true, cost: 2 }))).allowed, true);
    assert.equal(await bench.remaining(bench.check(TIGHT, { name: 'alone' })), 1);
  },

  async 'spends nothing on a shadow check when an enforced one refuses'(bench) {
    const shadow = bench.check(ROOMY, { name: 'shadow', shadow: true });
    const tight = bench.check(TIGHT, { name: 'tight' });
    await bench.consume([shadow, tight]);
    await bench.consume([shadow, tight]);
    assert.equal(await bench.remaining(shadow), 9);
  },

  'takes what fits on all checks when asked for at least some of it': exactly(async (bench) => {
    const small = bench.check(tokenBucket({ capacity: 7, refillRate: 1 }), { name: 'small', cost: 10 });
    const large = bench.check(tokenBucket({ capacity: 20, refillRate: 1 }), { name: 'large', cost: 10 });
    const first = await bench.consume([large, small], { atLeast: 3 });
    assert.deepEqual([first.allowed, first.taken], [true, 7]);
    assert.deepEqual(
      first.verdicts.map(({ remaining }) => remaining),
      [13, 0],
    );
    bench.clock.advance(2999);
    const tooEarly = await bench.consume([large, small], { atLeast: 3 });
    assert.deepEqual([tooEarly.allowed, tooEarly.taken], [false, 0]);
    assert.equal(await bench.remaining(large), 15, 'nothing was taken of any');
    bench.clock.advance(1);
    assert.equal((await bench.consume([large, small], { atLeast: 3 })).taken, 3);
    const plenty = bench.check(tokenBucket({ capacity: 99, refillRate: 1 }), { name: 'plenty', cost: 10 });
    assert.equal((await bench.consume(plenty, { atLeast: 1 })).taken, 10, 'no more than the cost');
  }),

  'starts no block on a limit that had what was asked for at least': exactly(async (bench) => {
    const blocking = bench.check(tokenBucket({ capacity: 5, refillRate: 1, blockDuration: '1h' }), { cost: 10 });
    const closed = bench.check(tokenBucket({ capacity: 0, refillRate: 1 }), { name: 'closed', cost: 10 });
    assert.equal((await bench.consume([blocking, closed], { atLeast: 1 })).allowed, false);
    assert.equal(await bench.remaining(blocking), 5);
  }),

  'takes what fits on the enforced checks, whatever fits on a shadow check': exactly(async (bench) => {
    const shadow = bench.check(tokenBucket({ capacity: 3, refillRate: 1 }), { name: 'shadow', cost: 10, shadow: true });
    const enforced = bench.check(tokenBucket({ capacity: 7, refillRate: 1 }), { name: 'enforced', cost: 10 });
    const reply = await bench.consume([shadow, enforced], { atLeast: 4 });
    assert.deepEqual([reply.allowed, reply.taken], [true, 7]);
    assert.equal(await bench.remaining(shadow), 3);
  }),

  async 'takes the whole cost where only shadow checks are asked for at least some of it'(bench) {
    const shadow = bench.check(tokenBucket({ capacity: 3, refillRate: 1 }), { cost: 10, shadow: true });
    const reply = await bench.consume(shadow, { atLeast: 4 });
    assert.deepEqual([reply.allowed, reply.taken], [true, 10]);
  },

  'looks at what could be taken without taking it': exactly(async (bench) => {
    const check = bench.check(tokenBucket({ capacity: 7, refillRate: 1 }), { cost: 10 });
    assert.equal((await bench.peek(check, { atLeast: 3 })).taken, 7);
    assert.equal(await bench.remaining(check), 7);
  }),

  'takes one slot on every concurrency check for that limit’s own lease': withSlots(async (bench) => {
    const short = bench.check(concurrency({ limit: 1, lease: '1s' }), { name: 'short' });
    const long = bench.check(concurrency({ limit: 1, lease: '9s' }), { name: 'long' });
    const { verdicts } = await bench.consume([short, long], { id: 'a' });
    assert.deepEqual(
      verdicts.map(({ resetAfterMs }) => resetAfterMs),
      [1000, 9000],
    );
  }),
};
