import { type Blocks, fixedWindow, type Limit, type LimitCheck, type Target } from '@sluice/core';
import { blockedHash } from '@sluice/core/store';
import * as assert from '../assert.js';
import { EVERY_LIMIT } from './every-limit.js';
import {
  atOnce,
  exactly,
  figuresOf,
  needing,
  onlyVerdict,
  type Rule,
  type Rules,
  type StoreFixture,
  withSlots,
} from './store-fixture.js';

const YEAR_MS = 31_536_000_000;

/** A rule for stores with blocks. */
const withBlocks = (rule: (fixture: StoreFixture, blocks: Blocks) => Promise<void>): Rule =>
  needing('blocks', async (fixture) => {
    assert.ok(fixture.store.blocks, 'the store has blocks, as it claims');
    await rule(fixture, fixture.store.blocks);
  });

const exactlyWithBlocks = (rule: Parameters<typeof withBlocks>[0]): Rule => exactly(withBlocks(rule));

/** Asks once more than a limit of 1 admits. Returns for how long that blocks the key. */
async function blockedMs(fixture: StoreFixture, check: LimitCheck): Promise<number | 'never'> {
  await fixture.consume(check);
  return onlyVerdict(await fixture.consume(check)).retryAfterMs;
}

const targetOf = ({ policy, name, key }: Target): Target => ({ policy, name, key });

/** Checks that the key is blocked by hand for so long. */
async function assertBlocked(
  fixture: StoreFixture,
  check: LimitCheck,
  forMs: number | 'never',
  what: string,
): Promise<void> {
  const reply = await fixture.consume(check, { id: 'blocked' });
  const { allowed, remaining, blocked, retryAfterMs } = onlyVerdict(reply);
  assert.equal(reply.allowed, false, what);
  assert.deepEqual({ allowed, remaining, blocked }, { allowed: false, remaining: 0, blocked: true }, what);
  if (fixture.isExact) assert.equal(retryAfterMs, forMs, what);
}

/** Blocks that somebody sets by hand, and the list of all blocks. */
export const blockRules: Rules = {
  'refuses a blocked key at the next decision under every algorithm, spends nothing, and ends to the millisecond':
    exactlyWithBlocks(async (fixture, blocks) => {
      for (const [name, limit] of fixture.limits) {
        const check = fixture.check(limit, { name });
        await fixture.consume(check, { id: 'a' });
        const { used } = onlyVerdict(await fixture.peek(check));
        await blocks.block({ targets: [targetOf(check)], forMs: 5000 });
        await assertBlocked(fixture, check, 5000, name);
        assert.equal(onlyVerdict(await fixture.peek(check)).used, used, name);
        fixture.clock.advance(4999);
        await assertBlocked(fixture, check, 1, name);
        fixture.clock.advance(1);
        const reply = await fixture.consume(check, { id: 'b' });
        assert.equal(reply.allowed, true, name);
        assert.equal('blocked' in onlyVerdict(reply), false, name);
      }
    }),

  'blocks a key that was never counted, without end, and no other key': withBlocks(async (fixture, blocks) => {
    for (const [name, limit] of fixture.limits) {
      const check = fixture.check(limit, { name, key: 'new' });
      await blocks.block({ targets: [targetOf(check)], forMs: 'forever' });
      await assertBlocked(fixture, check, 'never', name);
      fixture.clock.advance(YEAR_MS);
      await assertBlocked(fixture, check, 'never', name);
      for (const own of [{ key: 'bob' }, { name: `${name} 2` }, { policy: 'other' }]) {
        assert.equal((await fixture.consume({ ...check, ...own }, { id: 'free' })).allowed, true, name);
      }
    }
  }),

  'refuses a whole request for one blocked key, and spends on no limit': exactlyWithBlocks(async (fixture, blocks) => {
    const limit = EVERY_LIMIT['sliding window'] as Limit;
    const checks = ['one', 'other'].map((name) => fixture.check(limit, { name }));
    await blocks.block({ targets: [targetOf(checks[1] as LimitCheck)], forMs: 1000 });
    assert.equal((await fixture.consume(checks)).allowed, false);
    assert.equal(await fixture.remaining(checks[0] as LimitCheck), 4);
  }),

  'lets a limit in the shadow report a block and refuse nothing': exactlyWithBlocks(async (fixture, blocks) => {
    const check = fixture.check(EVERY_LIMIT['sliding window'] as Limit, { shadow: true });
    await blocks.block({ targets: [targetOf(check)], forMs: 1000 });
    const reply = await fixture.consume(check);
    assert.deepEqual([reply.allowed, onlyVerdict(reply).allowed, onlyVerdict(reply).blocked], [true, false, true]);
  }),

  'keeps the later end of two blocks': exactlyWithBlocks(async (fixture, blocks) => {
    const check = fixture.check(EVERY_LIMIT['fixed window'] as Limit);
    const block = (forMs: number | 'forever') => blocks.block({ targets: [targetOf(check)], forMs });
    await block(5000);
    await block(2000);
    await assertBlocked(fixture, check, 5000, 'a shorter block shortens nothing');
    await block(8000);
    await assertBlocked(fixture, check, 8000, 'a longer one lengthens it');
    await block('forever');
    await block(1000);
    await assertBlocked(fixture, check, 'never', 'nothing is later than for ever');
  }),

  'lifts a block, and leaves spent units': exactlyWithBlocks(async (fixture, blocks) => {
    await atOnce(fixture.limits, async ([name, limit]) => {
      const check = fixture.check(limit, { name });
      const targets = [targetOf(check)];
      assert.equal(await blocks.unblock(targets), false, name);
      await fixture.consume(check, { id: 'a' });
      const before = figuresOf(onlyVerdict(await fixture.peek(check)));
      await blocks.block({ targets, forMs: 'forever' });
      assert.equal(await blocks.unblock(targets), true, name);
      assert.deepEqual(figuresOf(onlyVerdict(await fixture.peek(check))), before, name);
      assert.equal(await blocks.unblock(targets), false, name);
    });
  }),

  'lifts the block of a limit with its strikes': exactlyWithBlocks(async (fixture, blocks) => {
    const check = fixture.check(fixedWindow({ limit: 1, window: '1s', blockDuration: { first: '5s', max: '20s' } }));
    const targets = [targetOf(check)];
    assert.equal(await blockedMs(fixture, check), 5000);
    fixture.clock.advance(5000);
    assert.equal(await blockedMs(fixture, check), 10_000);
    assert.deepEqual(await blocks.find(targets), { untilMs: fixture.clock.now() + 10_000, by: 'limit', strikes: 2 });
    assert.equal(await blocks.unblock(targets), true);
    assert.equal(await blocks.find(targets), undefined);
    fixture.clock.advance(1000);
    assert.equal(await blockedMs(fixture, check), 5000);
  }),

  'says that it lifted a block only where there was one, and forgets strikes all the same': exactlyWithBlocks(
    async (fixture, blocks) => {
      const blocking = { first: '5s', max: '20s', forget: '1h' } as const;
      const check = fixture.check(fixedWindow({ limit: 1, window: '1s', blockDuration: blocking }));
      const targets = [targetOf(check)];
      assert.equal(await blockedMs(fixture, check), 5000);
      fixture.clock.advance(5000);
      assert.equal(await blocks.unblock(targets), false, 'only a strike is left');
      assert.equal(await blockedMs(fixture, check), 5000, 'the strike is forgotten');
      await blocks.block({ targets, forMs: 10_000 });
      fixture.clock.advance(10_000);
      assert.equal(await blocks.unblock(targets), false, 'the blocks have ended');
    },
  ),

  'lifts a block with a reset': withBlocks(async (fixture, blocks) => {
    for (const [name, limit] of fixture.limits) {
      const check = fixture.check(limit, { name });
      await blocks.block({ targets: [targetOf(check)], forMs: 'forever' });
      assert.ok((await fixture.reset(check)) > 0, name);
      assert.equal((await fixture.consume(check, { id: 'a' })).allowed, true, name);
      assert.deepEqual(await blocks.list(check.policy, { limit: 10 }), [], name);
    }
  }),

  'keeps a block while units are charged and given back, and while the numbers of the limit change': exactlyWithBlocks(
    async (fixture, blocks) => {
      const check = fixture.check(EVERY_LIMIT['sliding window'] as Limit);
      await fixture.consume(check);
      await blocks.block({ targets: [targetOf(check)], forMs: 60_000 });
      await fixture.adjust({ ...check, cost: 2 });
      await assertBlocked(fixture, check, 60_000, 'after a charge');
      await fixture.adjust({ ...check, cost: -3 });
      await assertBlocked(fixture, check, 60_000, 'after everything was given back');
      fixture.clock.advance(30_000);
      for (const limit of [
        EVERY_LIMIT['sliding window that blocks'],
        EVERY_LIMIT['sliding window that counts refusals'],
      ])
        await assertBlocked(fixture, { ...check, limit: limit as Limit }, 30_000, 'under other numbers');
      await assertBlocked(fixture, check, 30_000, 'and under those of before');
    },
  ),

  'lifts a block for a clock that is a year ahead, lengthens it for no clock, and leaves it standing':
    exactlyWithBlocks(async (fixture, blocks) => {
      for (const [name, limit] of fixture.limits) {
        const check = fixture.check(limit, { name });
        await blocks.block({ targets: [targetOf(check)], forMs: 3_600_000 });
        const nowMs = fixture.clock.now();
        for (const offMs of [YEAR_MS, -YEAR_MS]) {
          fixture.clock.set(nowMs + offMs);
          await fixture.consume(check, { id: 'off' });
          await fixture.adjust({ ...check, cost: -1 }, { id: 'off' });
          fixture.clock.set(nowMs);
          await assertBlocked(fixture, check, 3_600_000, name);
        }
        fixture.clock.advance(3_600_000);
        assert.equal((await fixture.peek({ ...check, name: `${name} new` })).allowed, true, name);
        assert.equal('blocked' in onlyVerdict(await fixture.peek(check)), false, name);
        fixture.clock.advance(YEAR_MS);
      }
    }),

  'lets whoever has a slot keep it and free it during a block': withSlots(
    exactlyWithBlocks(async (fixture, blocks) => {
      const check = fixture.check(EVERY_LIMIT.concurrency as Limit);
      await fixture.consume(check, { id: 'a' });
      await blocks.block({ targets: [targetOf(check)], forMs: 60_000 });
      fixture.clock.advance(900);
      const renewal = await fixture.consume(check, { id: 'a', renew: true });
      assert.equal(onlyVerdict(renewal).allowed, true, 'a slot that is held is renewed');
      fixture.clock.advance(900);
      assert.equal(onlyVerdict(await fixture.peek(check)).used, 1);
      await assertBlocked(fixture, check, 58_200, 'nobody else gets one');
      assert.equal(await fixture.adjust({ ...check, cost: -1 }, { id: 'a' }), 'applied');
      assert.equal(onlyVerdict(await fixture.peek(check)).used, 0);
    }),
  ),

  'finds the block of a key that ends last, and why it was set': withBlocks(async (fixture, blocks) => {
    const targets = [targetOf(fixture.check(EVERY_LIMIT['fixed window'] as Limit))];
    assert.equal(await blocks.find(targets), undefined);
    await blocks.block({ targets, forMs: 'forever', reason: 'scraping' });
    assert.deepEqual(await blocks.find(targets), { untilMs: 'forever', by: 'admin', strikes: 0, reason: 'scraping' });
  }),

  'lists blocks by their end, part by part, while others come and go': exactlyWithBlocks(async (fixture, blocks) => {
    const limit = fixedWindow({ limit: 1, window: '1s', blockDuration: '30s' });
    const startMs = fixture.clock.now();
    const target = (key: string) => targetOf(fixture.check(limit, { key }));
    await blocks.block({ targets: [target('for ever')], forMs: 'forever' });
    await blocks.block({ targets: [target('late')], forMs: 60_000, reason: 'why', text: 'late' });
    await blocks.block({ targets: [target('early')], forMs: 10_000 });
    const limited = fixture.check(limit, { key: 'limited' });
    for (let i = 0; i < 2; i += 1) await fixture.consume(limited);
    const entry = (key: string, untilMs: number | 'forever', own: object = {}) => {
      return { hash: blockedHash({ key }), untilMs, by: 'admin', strikes: 0, ...own };
    };
    const early = entry('early', startMs + 10_000);
    const ofLimit = entry('limited', startMs + 30_000, { by: 'limit', strikes: 1 });
    const late = entry('late', startMs + 60_000, { reason: 'why', text: 'late' });
    const last = entry('for ever', 'forever');
    assert.deepEqual(await blocks.list('policy', { limit: 10 }), [early, ofLimit, late, last]);
    const [first, second] = await blocks.list('policy', { limit: 2 });
    assert.deepEqual([first, second], [early, ofLimit]);
    await blocks.unblock([target('limited')]);
    await blocks.block({ targets: [target('soon')], forMs: 20_000 });
    const rest = second && (await blocks.list('policy', { limit: 10, after: second }));
    assert.deepEqual(rest, [late, last]);
    assert.deepEqual(await blocks.list('another policy', { limit: 10 }), []);
    fixture.clock.advance(60_000);
    assert.deepEqual(await blocks.list('policy', { limit: 10 }), [last]);
  }),

  'pages through blocks that end together': withBlocks(async (fixture, blocks) => {
    const check = fixture.check(EVERY_LIMIT['fixed window'] as Limit);
    const keys = Array.from({ length: 25 }, (_, i) => `key-${i}`);
    for (const key of keys) await blocks.block({ targets: [targetOf({ ...check, key })], forMs: 'forever' });
    const seen: string[] = [];
    for (let part = await blocks.list(check.policy, { limit: 4 }); part.length > 0; ) {
      seen.push(...part.map(({ hash }) => hash));
      const after = part.at(-1);
      part = after ? await blocks.list(check.policy, { limit: 4, after }) : [];
    }
    assert.deepEqual(seen, keys.map((key) => blockedHash({ key })).sort());
  }),
};
