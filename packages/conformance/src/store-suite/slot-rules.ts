import { concurrency } from '@sluice/core';
import * as assert from '../assert.js';
import { onlyVerdict, type Rules, withSlots } from './store-fixture.js';

const ONE = concurrency({ limit: 1, lease: '9s' });
const TWO = concurrency({ limit: 2, lease: '9s' });

/** Slots of concurrency limits. */
export const slotRules: Rules = {
  'requires an id for a slot, but not for a peek': withSlots(async (fixture) => {
    const check = fixture.check(ONE);
    for (const id of [undefined, '']) {
      await fixture.refusesWith('SLUICE_UNSUPPORTED', () =>
        fixture.store.consume({ checks: [check], ...(id !== undefined && { id }) }),
      );
    }
    assert.equal((await fixture.peek(check)).allowed, true);
  }),

  'gives a held slot a new lease on renewal, and takes no second one': withSlots(async (fixture) => {
    const check = fixture.check(TWO);
    await fixture.consume(check, { id: 'a' });
    fixture.clock.advance(6000);
    const renewed = await fixture.consume(check, { id: 'a', renew: true });
    assert.equal(renewed.allowed, true);
    assert.equal(onlyVerdict(renewed).remaining, 1);
    assert.equal(onlyVerdict(renewed).resetAfterMs, 9000);
    fixture.clock.advance(8999);
    assert.equal(await fixture.remaining(check), 1);
    fixture.clock.advance(1);
    assert.equal(await fixture.remaining(check), 2);
  }),

  'renews a held slot even if all are taken': withSlots(async (fixture) => {
    const check = fixture.check(ONE);
    await fixture.consume(check, { id: 'a' });
    fixture.clock.advance(8999);
    assert.equal((await fixture.consume(check, { id: 'a', renew: true })).allowed, true);
    fixture.clock.advance(8999);
    assert.equal((await fixture.consume(check, { id: 'b' })).allowed, false);
  }),

  'takes an expired slot again on renewal if there is room, and not if another one has it': withSlots(
    async (fixture) => {
      const check = fixture.check(ONE);
      await fixture.consume(check, { id: 'a' });
      fixture.clock.advance(9000);
      assert.equal((await fixture.consume(check, { id: 'a', renew: true })).allowed, true);
      assert.equal((await fixture.consume(check, { id: 'b' })).allowed, false);
      fixture.clock.advance(9000);
      assert.equal((await fixture.consume(check, { id: 'b' })).allowed, true);
      const lost = await fixture.consume(check, { id: 'a', renew: true });
      assert.equal(lost.allowed, false);
      assert.equal(onlyVerdict(lost).retryAfterMs, 9000);
      assert.equal(await fixture.adjust({ ...check, cost: -1 }, { id: 'a' }), 'expired', 'a holds nothing to free');
      assert.equal(await fixture.remaining(check), 0);
    },
  ),

  'takes no slot again if only a held one may be renewed': withSlots(async (fixture) => {
    const check = fixture.check(TWO);
    await fixture.consume(check, { id: 'a' });
    fixture.clock.advance(8999);
    assert.equal((await fixture.consume(check, { id: 'a', renew: 'held' })).allowed, true);
    fixture.clock.advance(9000);
    assert.equal((await fixture.consume(check, { id: 'a', renew: 'held' })).allowed, false);
    await fixture.consume(check, { id: 'b' });
    await fixture.adjust({ ...check, cost: -1 }, { id: 'b' });
    assert.equal((await fixture.consume(check, { id: 'b', renew: 'held' })).allowed, false);
    assert.equal(await fixture.remaining(check), 2);
  }),

  'renews each slot by itself': withSlots(async (fixture) => {
    const lost = fixture.check(concurrency({ limit: 1, lease: '1s' }), { name: 'lost' });
    const held = fixture.check(ONE, { name: 'held' });
    await fixture.consume([lost, held], { id: 'a' });
    fixture.clock.advance(5000);
    await fixture.consume(lost, { id: 'b' });
    const renewed = await fixture.consume([lost, held], { id: 'a', renew: true });
    assert.deepEqual(
      renewed.verdicts.map(({ allowed }) => allowed),
      [false, true],
    );
    fixture.clock.advance(8999);
    assert.equal(await fixture.remaining(held), 0);
  }),

  'frees a slot by its id, and only that one': withSlots(async (fixture) => {
    const check = fixture.check(TWO);
    await fixture.consume(check, { id: 'a' });
    await fixture.consume(check, { id: 'b' });
    assert.equal(await fixture.adjust({ ...check, cost: -1 }, { id: 'c' }), 'expired');
    assert.equal(await fixture.adjust({ ...check, cost: -1 }, { id: 'a' }), 'applied');
    assert.equal(await fixture.remaining(check), 1);
    assert.equal((await fixture.consume(check, { id: 'c' })).allowed, true);
    assert.equal((await fixture.consume(check, { id: 'b', renew: true })).allowed, true);
    assert.equal((await fixture.consume(check, { id: 'd' })).allowed, false);
  }),

  'charges no slot afterwards, because an id takes it': withSlots(async (fixture) => {
    const check = fixture.check(TWO);
    assert.equal(await fixture.adjust({ ...check, cost: 1 }, { id: 'a' }), 'expired');
    assert.equal(await fixture.remaining(check), 2);
  }),
};
