import assert from 'node:assert/strict';
import { definitionOf } from '../../algorithms/definitions.js';
import { fixedWindow } from '../../algorithms/fixed-window.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import type { LimitCheck, StoreRequest, StoreResponse } from '../../stores/store.js';
import { SluiceError } from '../../values/error.js';
import { type Limit, usesSlots } from '../../values/limit.js';
import { exactly, needing, type Rule, type Rules, type StoreFixture } from './store-fixture.js';

/** A rule for stores whose limits can have guaranteed parts. */
const exactlyGuaranteed = (rule: Rules[string]): Rule => exactly(needing('guarantees', rule));

/** A limit of 4 units, of which 2 are guaranteed: 1 to each of two tenants, or more if a test says so. */
class Shared {
  #ids = 0;

  constructor(
    readonly fixture: StoreFixture,
    readonly limit: Limit,
    readonly lend: number,
  ) {}

  /** The three checks of a request. Nothing is guaranteed to a tenant with a part of 0. */
  checks(tenant: string, part: number, own: Partial<LimitCheck> = {}): readonly LimitCheck[] {
    const { limit, lend, fixture } = this;
    return [
      fixture.check(this.#partOf(part), { name: `part of ${tenant}`, shadow: true, ...own }),
      fixture.check(this.#partOf(2), { name: 'all parts', shadow: true, ...own }),
      fixture.check(limit, { name: 'limit', lend, ...own }),
    ];
  }

  ask(tenant: string, part: number, own: Partial<LimitCheck> = {}): Promise<StoreResponse> {
    this.#ids += 1;
    const slot = usesSlots(this.limit) ? { id: `slot-${this.#ids}` } : {};
    return this.fixture.consume(this.checks(tenant, part, own), slot);
  }

  /** How many of so many requests are admitted. */
  async admitted(tenant: string, part: number, requests: number): Promise<number> {
    let count = 0;
    for (let i = 0; i < requests; i += 1) if ((await this.ask(tenant, part)).allowed) count += 1;
    return count;
  }

  #partOf(quota: number): Limit {
    return definitionOf(this.limit).guarantee?.partOf(this.limit, quota) as Limit;
  }
}

/** A rule about a limit of each algorithm that can have guaranteed parts. */
const ofEach = (lend: number, rule: (shared: Shared, name: string) => Promise<void>): Rule =>
  exactlyGuaranteed(async (fixture) => {
    for (const [name, limit] of fixture.limits) {
      if (definitionOf(limit).guarantee?.partOf(limit, 1) === undefined || limit.blockMs || limit.countRejected)
        continue;
      const shared = new Shared(fixture, limit, lend);
      await rule(shared, name);
      await fixture.reset(...[...shared.checks('ann', 1), ...shared.checks('bob', 1), ...shared.checks('eve', 0)]);
    }
  });

const MINUTE = { limit: 10, window: '1m' } as const;

/** Limits with guaranteed parts. */
export const guaranteeRules: Rules = {
  'keeps the parts free from others': ofEach(0, async (shared, name) => {
    assert.equal(await shared.admitted('eve', 0, 4), 2, name);
    assert.equal(await shared.admitted('ann', 1, 3), 1, name);
    assert.equal(await shared.admitted('bob', 1, 3), 1, name);
  }),

  'keeps nothing free for a part that is in use': ofEach(0, async (shared, name) => {
    assert.equal(await shared.admitted('ann', 1, 1), 1, name);
    assert.equal(await shared.admitted('eve', 0, 4), 2, name);
    assert.equal(await shared.admitted('bob', 1, 3), 1, name);
  }),

  'lends the parts, and admits their owners beyond the limit': ofEach(1, async (shared, name) => {
    assert.equal(await shared.admitted('eve', 0, 6), 4, name);
    const { allowed, verdicts } = await shared.ask('ann', 1);
    assert.equal(allowed, true, name);
    assert.deepEqual(
      verdicts.map((verdict) => verdict.allowed),
      [true, true, true],
      name,
    );
    assert.deepEqual([verdicts[2]?.used, verdicts[2]?.overQuota, verdicts[2]?.remaining], [5, 1, 0], name);
    assert.equal(await shared.admitted('bob', 1, 3), 1, name);
    assert.equal(await shared.admitted('cas', 1, 3), 0, `${name}: all parts together are used`);
  }),

  'lends a half': ofEach(0.5, async (shared, name) => {
    assert.equal(await shared.admitted('eve', 0, 6), 3, name);
    assert.equal(await shared.admitted('ann', 1, 3), 1, name);
    assert.equal(await shared.admitted('bob', 1, 3), 1, name);
  }),

  'spends no part for a request that borrows': ofEach(1, async (shared, name) => {
    if (usesSlots(shared.limit)) return;
    const { allowed, verdicts } = await shared.ask('ann', 1, { cost: 2 });
    assert.deepEqual([allowed, ...verdicts.map((verdict) => verdict.allowed)], [true, false, false, true], name);
    const [part, all, whole] = (await shared.fixture.peek(shared.checks('ann', 1))).verdicts;
    assert.deepEqual([part?.used, all?.used, whole?.used], [0, 0, 2], name);
  }),

  'spends nothing for a request that is refused': ofEach(0, async (shared, name) => {
    await shared.admitted('eve', 0, 2);
    await shared.ask('ann', 1);
    const before = await shared.fixture.peek(shared.checks('ann', 1));
    assert.equal((await shared.ask('ann', 1)).allowed, false, name);
    assert.deepEqual((await shared.fixture.peek(shared.checks('ann', 1))).verdicts, before.verdicts, name);
  }),

  'tells what a request can get either way, and when': ofEach(0, async (shared, name) => {
    const peek = async (tenant: string, part: number) =>
      (await shared.fixture.peek(shared.checks(tenant, part))).verdicts[2];
    assert.deepEqual((await peek('ann', 1))?.remaining, 2, `${name}: what is free from parts`);
    await shared.admitted('eve', 0, 2);
    const [ann, eve] = [await peek('ann', 1), await peek('eve', 0)];
    assert.deepEqual([ann?.remaining, ann?.retryAfterMs], [1, 0], `${name}: the own part`);
    assert.equal(eve?.remaining, 0, name);
    const waitMs = eve?.retryAfterMs as number;
    assert.ok(waitMs > 0, name);
    shared.fixture.clock.advance(waitMs - 1);
    assert.equal((await shared.ask('eve', 0)).allowed, false, `${name}: a millisecond early`);
    shared.fixture.clock.advance(1);
    assert.equal((await shared.ask('eve', 0)).allowed, true, name);
    shared.fixture.clock.advance(60_000);
  }),

  'gives back each check that was spent': ofEach(1, async (shared, name) => {
    const id = `change of the ${name}`;
    const checks = shared.checks('ann', 1);
    const { atMs, allowed } = await shared.fixture.consume(checks, usesSlots(shared.limit) ? { id } : {});
    assert.equal(allowed, true, name);
    const back = checks.map(({ lend: _, ...check }) => ({ ...check, cost: -1 }));
    assert.equal(await shared.fixture.adjust(back, { atMs, id }), 'applied', name);
    const { verdicts } = await shared.fixture.peek(checks);
    assert.deepEqual(
      verdicts.map(({ used }) => used),
      [0, 0, 0],
      name,
    );
  }),

  'reports the state of the parts after a correction': exactlyGuaranteed(async (fixture) => {
    const shared = new Shared(fixture, slidingWindow(MINUTE), 0);
    await fixture.adjust(shared.checks('ann', 2, { cost: 2 }));
    await fixture.adjust(shared.checks('ann', 2, { cost: 5 }));
    await fixture.adjust(shared.checks('ann', 2, { cost: -3 }));
  }),

  'spends no part if another limit refuses': exactlyGuaranteed(async (fixture) => {
    const shared = new Shared(fixture, slidingWindow(MINUTE), 1);
    const tight = fixture.check(fixedWindow({ limit: 1, window: '1m' }), { name: 'tight' });
    await fixture.consume(tight);
    const checks = shared.checks('ann', 1);
    for (const all of [
      [tight, ...checks],
      [...checks, tight],
    ]) {
      assert.equal((await fixture.consume(all)).allowed, false);
    }
    const { verdicts } = await fixture.peek(checks);
    assert.deepEqual(
      verdicts.map(({ used }) => used),
      [0, 0, 0],
    );
  }),

  'decides two guarantees with the same numbers in one request': exactlyGuaranteed(async (fixture) => {
    const shared = new Shared(fixture, slidingWindow(MINUTE), 0);
    const others = shared.checks('ann', 1).map((check) => ({ ...check, name: `other ${check.name}` }));
    await shared.admitted('eve', 0, 8);
    const { allowed, verdicts } = await fixture.consume([...shared.checks('ann', 2), ...others]);
    assert.equal(allowed, true);
    assert.deepEqual(
      verdicts.map(({ used }) => used),
      [1, 1, 9, 1, 1, 1],
    );
    assert.deepEqual([verdicts[2]?.remaining, verdicts[5]?.remaining], [1, 8]);
  }),

  'never refuses because of a limit that is only tried': exactlyGuaranteed(async (fixture) => {
    const shared = new Shared(fixture, slidingWindow(MINUTE), 0);
    await shared.admitted('eve', 0, 8);
    const tried = shared.checks('eve', 0).map((check) => ({ ...check, shadow: true as const }));
    const { allowed, verdicts } = await fixture.consume(tried);
    assert.deepEqual([allowed, verdicts[2]?.allowed, verdicts[2]?.used], [true, false, 8]);
  }),

  'repeats the reply of an id': exactlyGuaranteed(async (fixture) => {
    const shared = new Shared(fixture, slidingWindow(MINUTE), 0.5);
    const once = { id: 'once', holdMs: 1000 };
    const first = await fixture.consume(shared.checks('ann', 1), once);
    assert.deepEqual(await fixture.consume(shared.checks('ann', 1), once), fixture.repeated(first));
    const { verdicts } = await fixture.peek(shared.checks('ann', 1));
    assert.deepEqual(
      verdicts.map(({ used }) => used),
      [1, 1, 1],
    );
  }),

  'decides in one step about parts of other keys, or refuses the request': exactlyGuaranteed(async (fixture) => {
    const [part, all, whole] = new Shared(fixture, slidingWindow(MINUTE), 1).checks('ann', 1);
    const checks = [
      { ...part, key: 'ann' },
      { ...all, key: 'all' },
      { ...whole, key: 'all' },
    ] as readonly LimitCheck[];
    try {
      const { verdicts } = await fixture.consume(checks);
      assert.deepEqual(
        verdicts.map(({ used }) => used),
        [1, 1, 1],
      );
    } catch (error) {
      assert.ok(!fixture.store.supports.atomicAcrossKeys, 'one step reaches all keys');
      assert.equal(error instanceof SluiceError && error.code, 'SLUICE_UNSUPPORTED');
    }
  }),

  'refuses a request that no guarantee fits': exactlyGuaranteed(async (fixture) => {
    const checks = new Shared(fixture, slidingWindow(MINUTE), 1).checks('ann', 1);
    const [part, all, whole] = checks as readonly [LimitCheck, LimitCheck, LimitCheck];
    const { shadow: _, ...enforced } = all;
    const wrong: readonly StoreRequest[] = [
      { checks, atLeast: 1 },
      { checks, renew: true, id: 'id' },
      { checks: [whole] },
      { checks: [all, whole] },
      { checks: [part, enforced, whole] },
    ];
    for (const ask of wrong) await fixture.refusesWith('SLUICE_UNSUPPORTED', () => fixture.store.consume(ask));
  }),
};
