import {
  fixedWindow,
  type GuaranteedParts,
  type Limit,
  type LimitCheck,
  type PartCheck,
  SluiceError,
  type StoreRequest,
  type StoreResponse,
  slidingWindow,
  type Verdict,
} from '@sluice/core';
import { definitionOf } from '@sluice/core/store';
import { usesSlots } from '@sluice/core/values';
import * as assert from '../assert.js';
import { atOnce, exactly, needing, onlyVerdict, type Rule, type Rules, type StoreFixture } from './store-fixture.js';

/** A rule for stores whose limits can have guaranteed parts. */
const exactlyGuaranteed = (rule: Rules[string]): Rule => exactly(needing('guarantees', rule));

/** A limit of 4 units, of which 2 are guaranteed: 1 to each of two tenants, or more if a test says so. */
class Shared {
  #ids = 0;

  constructor(
    readonly fixture: StoreFixture,
    readonly limit: Limit,
    readonly lend: number,
    readonly key = 'shared',
  ) {}

  /** The check of a request. Nothing is guaranteed to a tenant with a part of 0. */
  check(tenant: string, part: number, cost = 1): Divided {
    const { limit, lend, fixture, key } = this;
    const partCheck = (quota: number, name: string): PartCheck => {
      const { parts: _, ...check } = fixture.check(this.#partOf(quota), { name, key, cost });
      return { ...check, shadow: true };
    };
    const [own, all] = [partCheck(part, `part of ${tenant}`), partCheck(2, 'all parts')];
    return { ...fixture.check(limit, { name: 'limit', key, cost }), parts: { own, all, lend } };
  }

  ask(tenant: string, part: number, cost = 1): Promise<StoreResponse> {
    this.#ids += 1;
    const slot = usesSlots(this.limit) ? { id: `slot-${this.#ids}` } : {};
    return this.fixture.consume(this.check(tenant, part, cost), slot);
  }

  /** A look at the state for a tenant. */
  peek(tenant: string, part: number): Promise<StoreResponse> {
    return this.fixture.peek(this.check(tenant, part));
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

/** A check with parts. */
interface Divided extends LimitCheck {
  readonly parts: GuaranteedParts;
}

/** The check of a limit by itself, after those of its parts. */
function threeOf({
  parts: { own, all },
  ...whole
}: Divided): readonly [own: LimitCheck, all: LimitCheck, whole: LimitCheck] {
  return [own, all, whole];
}

/** What is said of the parts, and then of the limit, in each verdict. */
function ofThree<T>({ verdicts }: StoreResponse, said: (verdict: Verdict) => T): readonly T[] {
  return verdicts.flatMap((verdict) => {
    assert.ok(verdict.parts, 'the verdict has parts');
    return [verdict.parts.own, verdict.parts.all, verdict].map(said);
  });
}

const allowedOf = ({ allowed }: Verdict): boolean => allowed;
const usedOf = ({ used }: Verdict): number => used;

type SharedRule = (shared: Shared, name: string) => Promise<void>;

/** A limit of each algorithm that can have guaranteed parts, with keys of its own. */
function eachShared(fixture: StoreFixture, lend: number): readonly Shared[] {
  return fixture.limits
    .filter(([, limit]) => definitionOf(limit).guarantee?.partOf(limit, 1) && !limit.blockMs && !limit.countRejected)
    .map(([name, limit]) => new Shared(fixture, limit, lend, name));
}

/** A rule about each of those limits, which moves no clock. */
const ofEach = (lend: number, rule: SharedRule): Rule =>
  exactlyGuaranteed(async (fixture) => {
    await atOnce(eachShared(fixture, lend), (shared) => rule(shared, shared.key));
  });

/** A rule about one of those limits after the other. */
const ofEachInTurn = (lend: number, rule: SharedRule): Rule =>
  exactlyGuaranteed(async (fixture) => {
    for (const shared of eachShared(fixture, lend)) await rule(shared, shared.key);
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
    const reply = await shared.ask('ann', 1);
    assert.equal(reply.allowed, true, name);
    assert.deepEqual(ofThree(reply, allowedOf), [true, true, true], name);
    const { used, overQuota, remaining } = onlyVerdict(reply);
    assert.deepEqual([used, overQuota, remaining], [5, 1, 0], name);
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
    const reply = await shared.ask('ann', 1, 2);
    assert.deepEqual([reply.allowed, ...ofThree(reply, allowedOf)], [true, false, false, true], name);
    assert.deepEqual(ofThree(await shared.peek('ann', 1), usedOf), [0, 0, 2], name);
  }),

  'spends nothing for a request that is refused': ofEach(0, async (shared, name) => {
    await shared.admitted('eve', 0, 2);
    await shared.ask('ann', 1);
    const before = await shared.peek('ann', 1);
    assert.equal((await shared.ask('ann', 1)).allowed, false, name);
    assert.deepEqual((await shared.peek('ann', 1)).verdicts, before.verdicts, name);
  }),

  'tells what a request can get either way, and when': ofEachInTurn(0, async (shared, name) => {
    const peek = async (tenant: string, part: number) => onlyVerdict(await shared.peek(tenant, part));
    assert.deepEqual((await peek('ann', 1)).remaining, 2, `${name}: what is free from parts`);
    await shared.admitted('eve', 0, 2);
    const [ann, eve] = [await peek('ann', 1), await peek('eve', 0)];
    assert.deepEqual([ann.remaining, ann.retryAfterMs], [1, 0], `${name}: the own part`);
    assert.equal(eve.remaining, 0, name);
    const waitMs = eve.retryAfterMs as number;
    assert.ok(waitMs > 0, name);
    shared.fixture.clock.advance(waitMs - 1);
    assert.equal((await shared.ask('eve', 0)).allowed, false, `${name}: a millisecond early`);
    shared.fixture.clock.advance(1);
    assert.equal((await shared.ask('eve', 0)).allowed, true, name);
    shared.fixture.clock.advance(60_000);
  }),

  'gives back each check that was spent': ofEach(1, async (shared, name) => {
    const id = `change of the ${name}`;
    const check = shared.check('ann', 1);
    const { atMs, allowed } = await shared.fixture.consume(check, usesSlots(shared.limit) ? { id } : {});
    assert.equal(allowed, true, name);
    const back = threeOf(check).map((one) => ({ ...one, cost: -1 }));
    assert.equal(await shared.fixture.adjust(back, { atMs, id }), 'applied', name);
    assert.deepEqual(ofThree(await shared.fixture.peek(check), usedOf), [0, 0, 0], name);
  }),

  'corrects each of a limit and its parts by its own cost, and reports their state': exactlyGuaranteed(
    async (fixture) => {
      const shared = new Shared(fixture, slidingWindow(MINUTE), 0);
      const check = shared.check('ann', 2, 2);
      const { parts } = check;
      await fixture.adjust(check);
      await fixture.adjust({ ...check, cost: 5, parts: { ...parts, all: { ...parts.all, cost: 0 } } });
      assert.deepEqual(ofThree(await fixture.peek(check), usedOf), [4, 2, 7]);
      await fixture.adjust(shared.check('ann', 2, -3));
      assert.deepEqual(ofThree(await fixture.peek(check), usedOf), [1, 0, 4]);
    },
  ),

  'makes a correction with parts once': exactlyGuaranteed(async (fixture) => {
    const shared = new Shared(fixture, slidingWindow(MINUTE), 0);
    const check = shared.check('ann', 2);
    assert.equal(await fixture.adjust(check, { id: 'once' }), 'applied');
    assert.equal(await fixture.adjust(check, { id: 'once' }), 'repeated');
    assert.deepEqual(ofThree(await fixture.peek(check), usedOf), [1, 1, 1]);
  }),

  'spends no part if another limit refuses': exactlyGuaranteed(async (fixture) => {
    const shared = new Shared(fixture, slidingWindow(MINUTE), 1);
    const tight = fixture.check(fixedWindow({ limit: 1, window: '1m' }), { name: 'tight' });
    await fixture.consume(tight);
    const check = shared.check('ann', 1);
    for (const all of [
      [tight, check],
      [check, tight],
    ]) {
      assert.equal((await fixture.consume(all)).allowed, false);
    }
    assert.deepEqual(ofThree(await fixture.peek(check), usedOf), [0, 0, 0]);
  }),

  'decides two guarantees with the same numbers in one request': exactlyGuaranteed(async (fixture) => {
    const shared = new Shared(fixture, slidingWindow(MINUTE), 0);
    const { parts, ...other } = shared.check('ann', 1);
    const own = { ...parts.own, name: 'other part' };
    const all = { ...parts.all, name: 'all other parts' };
    await shared.admitted('eve', 0, 8);
    const reply = await fixture.consume([
      shared.check('ann', 2),
      { ...other, name: 'other limit', parts: { ...parts, own, all } },
    ]);
    assert.equal(reply.allowed, true);
    assert.deepEqual(ofThree(reply, usedOf), [1, 1, 9, 1, 1, 1]);
    assert.deepEqual(
      reply.verdicts.map(({ remaining }) => remaining),
      [1, 8],
    );
  }),

  'never refuses because of a limit that is only tried': exactlyGuaranteed(async (fixture) => {
    const shared = new Shared(fixture, slidingWindow(MINUTE), 0);
    await shared.admitted('eve', 0, 8);
    const reply = await fixture.consume({ ...shared.check('eve', 0), shadow: true });
    assert.deepEqual([reply.allowed, onlyVerdict(reply).allowed, onlyVerdict(reply).used], [true, false, 8]);
  }),

  'repeats the reply of an id': exactlyGuaranteed(async (fixture) => {
    const shared = new Shared(fixture, slidingWindow(MINUTE), 0.5);
    const once = { id: 'once', holdMs: 1000 };
    const first = await fixture.consume(shared.check('ann', 1), once);
    assert.deepEqual(await fixture.consume(shared.check('ann', 1), once), fixture.repeated(first));
    assert.deepEqual(ofThree(await shared.peek('ann', 1), usedOf), [1, 1, 1]);
  }),

  'decides in one step about parts of other keys, or refuses the request': exactlyGuaranteed(async (fixture) => {
    const { parts, ...whole } = new Shared(fixture, slidingWindow(MINUTE), 1).check('ann', 1);
    const all = { ...parts.all, key: 'all' };
    try {
      const reply = await fixture.consume({ ...whole, key: 'all', parts: { ...parts, all } });
      assert.deepEqual(ofThree(reply, usedOf), [1, 1, 1]);
    } catch (error) {
      assert.ok(!fixture.store.supports.atomicAcrossKeys, 'one step reaches all keys');
      assert.equal(error instanceof SluiceError && error.code, 'SLUICE_UNSUPPORTED');
    }
  }),

  'refuses a request that no guarantee fits': exactlyGuaranteed(async (fixture) => {
    const check = new Shared(fixture, slidingWindow(MINUTE), 1).check('ann', 1);
    const { own, all } = check.parts;
    const enforced = (part: PartCheck) => ({ ...part, shadow: undefined }) as unknown as PartCheck;
    const wrong: readonly StoreRequest[] = [
      { checks: [check], atLeast: 1 },
      { checks: [check], renew: true, id: 'id' },
      { checks: [{ ...check, parts: { ...check.parts, own: enforced(own) } }] },
      { checks: [{ ...check, parts: { ...check.parts, all: enforced(all) } }] },
    ];
    for (const ask of wrong) await fixture.refusesWith('SLUICE_UNSUPPORTED', () => fixture.store.consume(ask));
  }),
};
