import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Decision, Limiter, Store } from '@sluice/core';
import { type MakeStore, type Recorded, type Recording, replay, stageOf } from './recording.js';
import { SCENES, type Scene } from './scenes.js';
import type { Server } from './states.js';
import { earlier, today, type Version } from './version.js';

type AnyLimiter = Limiter<string, true>;

/** The kinds of servers whose states were recorded. */
type Kind = 'redis' | 'postgres';

/** A store over a server that several versions use. */
interface SharedServer<State> {
  readonly kind: Kind;
  readonly states: () => Server<State>;
  /** Makes a store with the clock, or with the server's time. */
  readonly makeStore: (version: Version, clock?: Parameters<MakeStore>[1]) => Store<true>;
}

/** A recording of each form so far, from the first. */
const FORMS = ['first-form', 'blocks-and-strikes', 'held-and-operations'] as const;

const VERSIONS = { earlier, today } as const;

/** Whose turn it is: each version begins once. */
const ORDERS = [
  ['earlier', 'today'],
  ['today', 'earlier'],
] as const;

const LIMIT = 5;

/**
 * Tests that today's version reads what each form so far has left in a server, and that it shares the server with the version of the
 * last form: both count the same, limits hold, and neither fails because of the other's states.
 */
export function versionsSuite<State>(given: SharedServer<State>): void {
  const open: { close(): unknown }[] = [];
  const server: SharedServer<State> = {
    ...given,
    makeStore: (version, clock) => {
      const store = given.makeStore(version, clock);
      open.push(store);
      return store;
    },
  };
  beforeEach(() => server.states().write([]));
  afterEach(() => Promise.all(open.splice(0).map((store) => store.close())));
  describe.each(FORMS)('the states of the form %s', (form) => readsAll(form, server));
  describe.each(ORDERS)('%s and %s, side by side', (first, second) => {
    counts(server, VERSIONS[first], VERSIONS[second]);
    blocks(server, VERSIONS[first], VERSIONS[second]);
  });
  standsInFront(server);
}

function readsAll<State>(form: string, { kind, states, makeStore }: SharedServer<State>): void {
  const text = readFileSync(join(__dirname, 'generated', `${form}.json`), 'utf8');
  const recording: Recording<State> = JSON.parse(text)[kind] ?? {};
  const names = Object.keys(recording);
  if (names.length === 0) it.skip('are not there: there was no such store', () => {});
  else
    it.each(names)('are read as they were written: %s', async (name) => {
      const recorded = recording[name] as Recorded<State>;
      expect(await replay(today, name, recorded, states(), makeStore)).toEqual(recorded.said);
    });
}

/** The answers of a store itself: nothing has failed. */
const BY_THE_STORE = { source: 'store' };

function counts<State>({ makeStore }: SharedServer<State>, first: Version, second: Version): void {
  const units = Object.entries(SCENES).filter(([name]) => !/slots|several|block|operation/.test(name));

  it.each(units)('count together: %s', async (_name, scene) => {
    const limiters = pairOf(makeStore, scene, first, second);
    for (let spent = 1; spent <= LIMIT; spent += 1) {
      const decision = await limiters[spent % 2]?.consume('ann');
      expect(decision).toMatchObject({ allowed: true, ...BY_THE_STORE });
      expect([spent, decision?.verdicts[0]?.used]).toEqual([spent, spent]);
    }
    for (const limiter of limiters)
      expect(await limiter.consume('ann')).toMatchObject({ allowed: false, ...BY_THE_STORE });
  });

  it('hold slots together', async () => {
    const [one, other] = pairOf(makeStore, sceneOf('slots'), first, second);
    const held = [];
    for (let i = 0; i < LIMIT; i += 1) held.push(await (i % 2 === 0 ? one : other).reserve('ann'));
    expect(held.map(({ allowed }) => allowed)).toEqual(held.map(() => true));
    for (const limiter of [one, other]) expect(await limiter.peek('ann')).toMatchObject({ allowed: false });
    await held[0]?.cancel();
    for (const limiter of [one, other]) expect(await limiter.peek('ann')).toMatchObject({ allowed: true });
    await Promise.all(held.map((reservation) => reservation.cancel()));
  });

  it('give back what they have charged, whoever has counted since', async () => {
    const scene = sceneOf('fixed window');
    const [one, other] = pairOf(makeStore, scene, first, second);
    const reservation = await one.reserve('ann', { cost: 3 });
    await other.consume('ann', { cost: 2 });
    await reservation.settle(1);
    for (const limiter of [one, other])
      expect(await limiter.peek('ann')).toMatchObject({ verdicts: [{ used: 3 }], ...BY_THE_STORE });
  });

  it('make an operation once', async () => {
    const scene = sceneOf('an operation');
    const [one, other] = pairOf(makeStore, scene, first, second);
    const decisions: Decision[] = [];
    for (const limiter of [one, other, one]) decisions.push(await limiter.consume('ann', { cost: 2, id: 'once' }));
    for (const decision of decisions)
      expect(decision).toMatchObject({ allowed: true, verdicts: [{ used: 2 }], ...BY_THE_STORE });
  });

  it('admit exactly the limit when they ask at once', async () => {
    const limiters = [first, second].map((version) =>
      version.createLimiter({
        name: 'race',
        limits: [version.slidingWindow({ limit: 50, window: '1h' })],
        store: makeStore(version),
        onStoreError: 'deny',
      }),
    ) as AnyLimiter[];
    const asked = Array.from({ length: 100 }, (_, i) => limiters[i % 2]?.consume('ann'));
    const decisions = await Promise.all(asked);
    expect(decisions.filter((decision) => decision?.allowed)).toHaveLength(50);
  });
}

function blocks<State>({ makeStore }: SharedServer<State>, first: Version, second: Version): void {
  const named = (name: string) => pairOf(makeStore, sceneOf(name), first, second);

  it.each(['a block of a limit', 'a block that grows'])('obey %s that the other has begun', async (name) => {
    const [one, other] = named(name);
    for (let i = 0; i <= LIMIT; i += 1) await one.consume('ann');
    const [own, theirs] = [await one.peek('ann'), await other.peek('ann')];
    expect(theirs).toMatchObject({ allowed: false, retryAfterMs: own.retryAfterMs, ...BY_THE_STORE });
    expect(own.retryAfterMs).toBeGreaterThan(500_000);
  });

  it('obey and lift a block by hand', async () => {
    const scene = sceneOf('a block by hand');
    const stages = [stageOf(first, scene, makeStore), stageOf(second, scene, makeStore)] as const;
    const [{ limiter: one }, { limiter: other }] = stages;
    await one.consume('ann');
    await one.block('ann', '1h');
    for (const limiter of [one, other, one])
      expect(await limiter.consume('ann')).toMatchObject({ allowed: false, verdicts: [{ blocked: true }] });
    await other.unblock('ann');
    // A process that has been refused asks again a tenth of a second later.
    for (const { clock } of stages) clock.advance(200);
    expect(await one.consume('ann')).toMatchObject({ allowed: true, verdicts: [{ used: 2 }] });
  });
}

/** Stores in front of the server keep units in their processes: each version its own. */
function standsInFront<State>({ makeStore }: SharedServer<State>): void {
  const QUOTA = 1000;
  const SLICE = 10;
  it.each<[string, (version: Version) => Store<true>, number]>([
    ['leased', (version) => new version.LeasedStore({ store: makeStore(version), lease: '1s' }), QUOTA],
    [
      'synced',
      (version) => new version.SyncedStore({ store: makeStore(version), sync: '1s', slice: SLICE }),
      QUOTA + 2 * SLICE,
    ],
  ])('stores of both versions that are %s stay within the bound', async (_name, storeOf, bound) => {
    const limiters = [earlier, today].map((version) => {
      const store = storeOf(version);
      const limits = [version.slidingWindow({ limit: QUOTA, window: '1h' })];
      return { store, limiter: version.createLimiter({ name: 'front', limits, store, onStoreError: 'deny' }) };
    });
    let admitted = 0;
    for (let round = 0; round < 30; round += 1) {
      const asked = limiters.flatMap(({ limiter }) => Array.from({ length: 40 }, () => limiter.consume('ann')));
      for (const { allowed, source } of await Promise.all(asked)) {
        expect(source).toBe('store');
        if (allowed) admitted += 1;
      }
    }
    expect(admitted).toBeLessThanOrEqual(bound);
    expect(admitted).toBeGreaterThan(0.9 * QUOTA);
    await Promise.all(limiters.map(({ store }) => (store as unknown as { close(): Promise<unknown> }).close()));
  });
}

/** Limiters of both versions, with the same limits over the same server. */
function pairOf(
  makeStore: MakeStore,
  scene: Scene,
  first: Version,
  second: Version,
): readonly [AnyLimiter, AnyLimiter] {
  return [stageOf(first, scene, makeStore).limiter, stageOf(second, scene, makeStore).limiter];
}

const sceneOf = (name: string): Scene => SCENES[name] as Scene;
