import assert from 'node:assert/strict';
import { concurrency } from '../../algorithms/concurrency.js';
import { onlyVerdict, type Rules, withSlots } from './bench.js';

const ONE = concurrency({ limit: 1, lease: '9s' });
const TWO = concurrency({ limit: 2, lease: '9s' });

/** Slots of concurrency limits. */
export const slotRules: Rules = {
  'wants an id for a slot, but not for a look': withSlots(async (bench) => {
    const check = bench.check(ONE);
    for (const id of [undefined, '']) {
      await bench.refusesWith('SLUICE_UNSUPPORTED', () =>
        bench.store.consume({ checks: [check], ...(id !== undefined && { id }) }),
      );
    }
    assert.equal((await bench.peek(check)).allowed, true);
  }),

  'gives a held slot a new lease on renewal, and takes no second one': withSlots(async (bench) => {
    const check = bench.check(TWO);
    await bench.consume(check, { id: 'a' });
    bench.clock.advance(6000);
    const renewed = await bench.consume(check, { id: 'a', renew: true });
    assert.equal(renewed.allowed, true);
    assert.equal(onlyVerdict(renewed).remaining, 1);
    assert.equal(onlyVerdict(renewed).resetAfterMs, 9000);
    bench.clock.advance(8999);
    assert.equal(await bench.remaining(check), 1);
    bench.clock.advance(1);
    assert.equal(await bench.remaining(check), 2);
  }),

  'renews a held slot although all are taken': withSlots(async (bench) => {
    const check = bench.check(ONE);
    await bench.consume(check, { id: 'a' });
    bench.clock.advance(8999);
    assert.equal((await bench.consume(check, { id: 'a', renew: true })).allowed, true);
    bench.clock.advance(8999);
    assert.equal((await bench.consume(check, { id: 'b' })).allowed, false);
  }),

  'takes a lapsed slot anew on renewal if there is room, and not if another has it': withSlots(async (bench) => {
    const check = bench.check(ONE);
    await bench.consume(check, { id: 'a' });
    bench.clock.advance(9000);
    assert.equal((await bench.consume(check, { id: 'a', renew: true })).allowed, true);
    assert.equal((await bench.consume(check, { id: 'b' })).allowed, false);
    bench.clock.advance(9000);
    assert.equal((await bench.consume(check, { id: 'b' })).allowed, true);
    const lost = await bench.consume(check, { id: 'a', renew: true });
    assert.equal(lost.allowed, false);
    assert.equal(onlyVerdict(lost).retryAfterMs, 9000);
    assert.equal(await bench.adjust({ ...check, cost: -1 }, { id: 'a' }), 'expired', 'a holds nothing to free');
    assert.equal(await bench.remaining(check), 0);
  }),

  'renews each slot for itself': withSlots(async (bench) => {
    const lost = bench.check(concurrency({ limit: 1, lease: '1s' }), { name: 'lost' });
    const held = bench.check(ONE, { name: 'held' });
    await bench.consume([lost, held], { id: 'a' });
    bench.clock.advance(5000);
    await bench.consume(lost, { id: 'b' });
    const renewed = await bench.consume([lost, held], { id: 'a', renew: true });
    assert.deepEqual(
      renewed.verdicts.map(({ allowed }) => allowed),
      [false, true],
    );
    bench.clock.advance(8999);
    assert.equal(await bench.remaining(held), 0);
  }),

  'frees a slot by its id, and only that one': withSlots(async (bench) => {
    const check = bench.check(TWO);
    await bench.consume(check, { id: 'a' });
    await bench.consume(check, { id: 'b' });
    assert.equal(await bench.adjust({ ...check, cost: -1 }, { id: 'c' }), 'expired');
    assert.equal(await bench.adjust({ ...check, cost: -1 }, { id: 'a' }), 'applied');
    assert.equal(await bench.remaining(check), 1);
    assert.equal((await bench.consume(check, { id: 'c' })).allowed, true);
    assert.equal((await bench.consume(check, { id: 'b', renew: true })).allowed, true);
    assert.equal((await bench.consume(check, { id: 'd' })).allowed, false);
  }),

  'charges no slot after the fact: it is taken by its id': withSlots(async (bench) => {
    const check = bench.check(TWO);
    assert.equal(await bench.adjust({ ...check, cost: 1 }, { id: 'a' }), 'expired');
    assert.equal(await bench.remaining(check), 2);
  }),
};
