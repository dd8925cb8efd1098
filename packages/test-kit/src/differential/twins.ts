import assert from 'node:assert/strict';
import {
  type Blocks,
  type Change,
  type Clock,
  type Limit,
  type LimitCheck,
  MemoryStore,
  SluiceError,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
} from '@sluice/core';
import { calendarBoundsAround } from '@sluice/core/src/calendars/bounds';
import { ManualClock } from '@sluice/core/testing';
import type { MovableClock } from '../redis/movable-clock.js';
import { CountingStore } from './counting-store.js';
import { type Amount, HUGE_COST, listed, type Place, type Scene, type Step, withParts } from './scenes.js';

type StepOf<Verb extends Step['verb']> = Extract<Step, { verb: Verb }>;

/** Far enough from 1970 that a clock which goes back by years is still after it. */
const EARLIEST_MS = Date.UTC(1980, 0, 1);

/** What stands before both stores, or before several of each kind. */
type Wrap = (newStore: () => Store<true>) => Store<true>;

/**
 * Makes the store that has to decide as memory does. Several of them may stand behind a wrapper, and must not share their
 * counters: each has another number.
 */
export type NewStore = (clock: Clock, number: number) => Store<true>;

/** A server whose own clock counts. */
interface ClockOfServer {
  /** Its time, by which keys expire. Such a clock never goes back. */
  readonly clock: MovableClock;
  /** The times to live of all keys: -1 of one that has none. */
  readonly ttlsMs: () => Promise<readonly number[]>;
}

/** How twins live, if not asked one after another, each by itself, under the clock that the stores were given. */
interface TwinsOptions {
  readonly isTogether?: boolean;
  readonly wrap?: Wrap | undefined;
  /** Without it, both stores count by the clock that they were given. */
  readonly server?: ClockOfServer | undefined;
  /** Lets memory stores drop what has ended, as they do by themselves in real time. It is called whenever the clock moves. */
  readonly dropEnded?: () => void;
}

/**
 * A memory store and another store that live through the same scene under one clock; every answer has to be the same to the last bit. When
 * they are asked together, whatever happens in one moment is asked of the other store without waiting for answers.
 */
export class Twins {
  readonly #clock = new ManualClock();
  readonly #memory: Store;
  readonly #other: Store<true>;
  /** Those behind a wrapper, which asks them also when nobody asks it. */
  readonly #behind: CountingStore[] = [];
  readonly #isWrapped: boolean;
  readonly #subject: string;
  readonly #places: readonly Place[];
  readonly #limits: Limit[];

  #ids: string[] = [];
  #newIds = 0;
  #times: number[] = [];
  #waitsMs: { readonly retry: number; readonly reset: number }[] = [];
  /** What may be repeated: asked since the clock last went back. What had expired by then may be forgotten or not. */
  #asks: StoreRequest[] = [];
  #changes: Change[] = [];
  readonly #staleChangeIds = new Set<string>();
  /** Comparisons that are under way. */
  #comparing: Promise<void>[] = [];
  readonly #isTogether: boolean;
  readonly #server: ClockOfServer | undefined;
  readonly #dropEnded: (() => void) | undefined;

  /** @param subject - of this scene alone. Ids begin with it: stores remember them, too. */
  constructor(
    newStore: NewStore,
    subject: string,
    places: readonly Place[],
    { isTogether = false, wrap, server, dropEnded }: TwinsOptions = {},
  ) {
    const clock = this.#clock;
    const newMemory = (): Store => new MemoryStore({ clock });
    const newOther = (): Store<true> => newStore(clock, this.#behind.length);
    this.#memory = wrap ? wrap(() => this.#counted(newMemory())) : newMemory();
    this.#other = wrap ? wrap(() => this.#counted(newOther())) : newOther();
    this.#isWrapped = wrap !== undefined;
    this.#subject = subject;
    this.#isTogether = isTogether;
    this.#server = server;
    this.#dropEnded = dropEnded;
    server?.clock.standAt(clock.now());
    this.#places = places;
    this.#limits = places.map(({ variants }) => variants[0] as Limit);
  }

  async play(steps: Scene['steps']): Promise<void> {
    try {
      for (const step of steps) await this.#make(step);
      await this.#compared();
      if (this.#server) await this.#outliveAll(this.#server);
    } finally {
      await Promise.allSettled(this.#comparing);
      await this.#memory.close();
      await this.#other.close();
    }
  }

  async #make(step: Step): Promise<void> {
    await this.#quiet();
    if (!this.#isTogether || step.verb === 'wait' || step.verb === 'move-clock') await this.#compared();
    switch (step.verb) {
      case 'ask':
        return this.#ask(step);
      case 'adjust':
        return this.#adjust(step);
      case 'repeat-ask': {
        const ask = picked(this.#asks, step.pick);
        if (ask) this.#consumeBoth(this.#repeated(ask, step.pick));
        return;
      }
      case 'repeat-change': {
        const change = picked(this.#changes, step.pick);
        if (change) this.#adjustBoth(change);
        return;
      }
      case 'reset':
        return this.#resetBoth(step.mask);
      case 'block':
      case 'unblock':
        return this.#blockBoth(step);
      case 'change-limit': {
        const i = step.pick % this.#places.length;
        this.#limits[i] = picked((this.#places[i] as Place).variants, step.variant) as Limit;
        return;
      }
      case 'wait': {
        const wait = picked(this.#waitsMs, step.pick);
        if (wait) this.#moveClock(wait[step.until] + step.plusMs);
        return;
      }
      case 'move-clock':
        this.#moveClock(step.ms);
    }
  }

  /** Moves the clock to where the server has let every key expire: all has to be as if it had never been. */
  async #outliveAll({ ttlsMs }: ClockOfServer): Promise<void> {
    // Blocks of limits are listed after their replies. To read the list waits for that.
    await this.#other.blocks?.list('policy', { limit: 1 });
    const ttls = await ttlsMs();
    assert.ok(
      ttls.every((ttl) => ttl >= 0),
      'every key has a time to live',
    );
    this.#moveClock(Math.max(0, ...ttls) + 1);
    assert.deepEqual(await ttlsMs(), []);
    const ask = this.#lookAt(this.#subject);
    const unseen = this.#lookAt(`${this.#subject}-unseen`);
    const fresh = await this.#memory.consume(unseen);
    for (const store of [this.#memory, this.#other]) assert.deepStrictEqual(await store.consume(ask), fresh);
  }

  #lookAt(key: string): StoreRequest {
    const checks = this.#checks({
      mask: 0,
      amounts: this.#limits.map(() => ({ units: 1 })),
      margins: [],
      boundsOff: 0,
    });
    const others = [...checks].map(([i, check]) => [i, { ...check, key }] as const);
    return { checks: withParts(this.#places, new Map(others)), peek: true };
  }

  #moveClock(ms: number): void {
    const nowMs = this.#clock.now();
    const toMs = Math.max(this.#server ? nowMs : EARLIEST_MS, nowMs + ms);
    // A server still has a key in the millisecond in which it ends.
    if (toMs > nowMs) {
      this.#clock.set(toMs - 1);
      this.#dropEnded?.();
    }
    this.#clock.set(toMs);
    this.#server?.clock.standAt(toMs);
    if (this.#clock.now() >= nowMs) return;
    for (const { id } of this.#changes) if (id !== undefined) this.#staleChangeIds.add(id);
    this.#asks = [];
    this.#changes = [];
  }

  /** Returns a check of each chosen place. */
  #checks(
    { mask, amounts, margins, boundsOff }: Pick<StepOf<'ask' | 'adjust'>, 'mask' | 'amounts' | 'margins' | 'boundsOff'>,
    sign = 1,
  ): ReadonlyMap<number, LimitCheck> {
    const checkAt = (i: number): LimitCheck => {
      const limit = this.#limits[i] as Limit;
      const units = unitsOf(amounts[i] as Amount, limit);
      const margin = Math.floor((limit.quota * (margins[i] ?? 0)) / 1000);
      return {
        ...this.#target(i),
        limit,
        cost: sign * (limit.algorithm === 'concurrency' ? Math.sign(units) : units) + 0,
        ...(margin !== 0 && { margin }),
        ...((this.#places[i] as Place).isShadow && { shadow: true as const }),
        ...(limit.calendar && {
          calendarBoundsMs: calendarBoundsAround(
            limit.calendar,
            this.#clock.now() + boundsOff * (limit.windowMs as number),
          ),
        }),
      };
    };
    return new Map(maskedBy(mask, this.#limits.length).map((i) => [i, checkAt(i)]));
  }

  #ask(step: StepOf<'ask'>): void {
    const { mode, atLeast, deadlineMs } = step;
    const made = this.#checks(step);
    // No guarantee takes what fits, or renews.
    const isPlain = mode !== 'renew' && atLeast === undefined;
    const all = isPlain ? withParts(this.#places, made) : [...made.values()];
    const slots = [...made.values()].filter(({ limit }) => limit.algorithm === 'concurrency');
    const isRenewal = mode === 'renew' && slots.length > 0;
    const holdMs = isRenewal ? undefined : step.holdMs;
    // A slot has to have an id, and so has an answer that is to be remembered, which no other request may have had.
    const needsId = slots.length > 0 || holdMs !== undefined;
    const id = this.#idFor(
      holdMs !== undefined ? 'new' : needsId && step.id === 'none' ? 'earlier' : step.id,
      step.pick,
    );
    const ask: StoreRequest = {
      checks: isRenewal ? slots : all,
      ...(mode === 'peek' && { peek: true as const }),
      ...(isRenewal && { renew: step.pick % 2 === 0 ? (true as const) : ('held' as const) }),
      ...(id !== undefined && { id }),
      ...(holdMs !== undefined && { holdMs }),
      ...(holdMs !== undefined && step.pick % 3 !== 0 && { attempt: this.#newId('attempt') }),
      ...(atLeast !== undefined && { atLeast }),
      ...(deadlineMs !== undefined && { notAfterMs: this.#clock.now() + deadlineMs }),
    };
    if (id !== undefined) this.#asks.push(ask);
    this.#consumeBoth(ask);
  }

  #adjust(step: StepOf<'adjust'>): void {
    const id = this.#idFor(step.id, step.pick);
    const atMs = step.at === 'earlier' ? picked(this.#times, step.pick) : undefined;
    const isOnce = id !== undefined && !this.#staleChangeIds.has(id);
    const change: Change = {
      checks: withParts(this.#places, this.#checks(step, step.isBack ? -1 : 1)),
      ...(atMs !== undefined && { atMs }),
      ...(step.isUnspent && { unspent: true as const }),
      ...(isOnce && { id }),
      ...(isOnce && step.pick % 3 === 0 && { keptUntilMs: this.#clock.now() + step.pick }),
      ...(isOnce && step.pick % 4 === 0 && { givesBack: true as const }),
    };
    this.#changes.push(change);
    this.#adjustBoth(change);
  }

  #target(i: number): Target {
    // Wrappers may have to do with several subjects, beside each of which ids are remembered.
    const key = this.#isWrapped ? `${this.#subject}-${i % 2}` : this.#subject;
    return { policy: 'policy', name: `limit-${i}`, key };
  }

  #idFor(choice: 'none' | 'new' | 'earlier', pick: number): string | undefined {
    if (choice === 'none') return undefined;
    const earlier = choice === 'earlier' && !this.#isWrapped ? picked(this.#ids, pick) : undefined;
    return earlier ?? this.#newId('id');
  }

  #newId(kind: 'id' | 'attempt'): string {
    this.#newIds += 1;
    const id = `${this.#subject}-${kind}-${this.#newIds}`;
    this.#ids.push(id);
    return id;
  }

  /** Returns a request as a caller repeats it: with another attempt, for one attempt alone, or when one has ended. */
  #repeated(ask: StoreRequest, pick: number): StoreRequest {
    if (ask.attempt === undefined || pick % 4 === 0) return ask;
    const attempt = pick % 2 === 0 ? ask.attempt : this.#newId('attempt');
    return pick % 3 === 0 ? { ...ask, attempt, onlyAttempt: true } : { ...ask, attempt };
  }

  async #compared(): Promise<void> {
    await Promise.all(this.#comparing);
    this.#comparing = [];
  }

  #counted(store: Store): CountingStore {
    const counted = new CountingStore(store);
    this.#behind.push(counted);
    return counted;
  }

  /** Lets those behind a wrapper answer what it asks by itself. */
  async #quiet(): Promise<void> {
    if (!this.#isWrapped) return;
    await this.#compared();
    do await new Promise(setImmediate);
    while (this.#behind.some(({ isBusy }) => isBusy));
  }

  #compare<T>(inMemory: T | string | Promise<T | string>, inOther: T | PromiseLike<T>): void {
    const comparison = outcome(() => inOther).then(async (answer) => assert.deepStrictEqual(answer, await inMemory));
    // It is heard of when all are compared.
    comparison.catch(() => {});
    this.#comparing.push(comparison);
  }

  #consumeBoth(ask: StoreRequest): void {
    const inMemory = outcomeNow(() => this.#memory.consume(ask));
    this.#compare(inMemory, this.#other.consume(ask));
    if (inMemory instanceof Promise) inMemory.then((reply) => this.#note(reply));
    else this.#note(inMemory);
  }

  #note(reply: StoreResponse | string): void {
    if (typeof reply === 'string') return;
    const { atMs, verdicts } = reply;
    this.#times.push(atMs);
    for (const { retryAfterMs, resetAfterMs } of listed(verdicts)) {
      if (retryAfterMs === 'never' || resetAfterMs === 'never') continue;
      // A limit that takes a thousand years would carry the clock out of the times that a date can be.
      if (Math.max(retryAfterMs, resetAfterMs) < 1e12) this.#waitsMs.push({ retry: retryAfterMs, reset: resetAfterMs });
    }
    this.#waitsMs = this.#waitsMs.slice(-4);
  }

  #adjustBoth(change: Change): void {
    this.#compare(
      outcomeNow(() => this.#memory.adjust(change)),
      this.#other.adjust(change),
    );
  }

  /** Then each is asked for the block, and has to find the same one. */
  #blockBoth(step: StepOf<'block'> | StepOf<'unblock'>): void {
    const targets = maskedBy(step.mask, this.#limits.length).map((i) => this.#target(i));
    const change = (blocks: Blocks): unknown =>
      step.verb === 'block' ? blocks.block({ targets, forMs: step.forMs }) : blocks.unblock(targets);
    const [inMemory, inOther] = [this.#memory.blocks, this.#other.blocks];
    if (!inMemory || !inOther) return;
    change(inMemory);
    const found = outcomeNow(() => inMemory.find(targets));
    // A state may be kept for longer than its strikes matter, so what was lifted is not compared.
    const made = Promise.resolve(change(inOther));
    this.#comparing.push(made.then(() => {}));
    // On a cluster, a block is kept in several slots.
    this.#compare(found, this.#isTogether ? inOther.find(targets) : made.then(() => inOther.find(targets)));
  }

  #resetBoth(mask: number): void {
    const targets = maskedBy(mask, this.#limits.length).map((i) => this.#target(i));
    // A key may live for longer than its state matters, and is counted as long: in Redis under a clock in the arguments, in its
    // last millisecond, and where a write has left it the time to live that it had.
    const inMemory = outcomeNow(() => this.#memory.reset(targets));
    const inOther = this.#other.reset(targets);
    this.#compare(
      inOther.then(async (states) => {
        const fewest = await inMemory;
        return typeof fewest === 'number' && fewest <= states ? states : fewest;
      }),
      inOther,
    );
  }
}

/** The places whose bit is set, or all of them when none is: nobody asks about nothing. */
function maskedBy(mask: number, count: number): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  const masked = all.filter((i) => (mask & (1 << i)) !== 0);
  return masked.length > 0 ? masked : all;
}

const picked = <T>(list: readonly T[], pick: number): T | undefined => list[pick % list.length];

function unitsOf(amount: Amount, { quota }: Limit): number {
  const units = 'units' in amount ? amount.units : Math.ceil((quota * amount.share) / 1000);
  return Math.min(units, HUGE_COST);
}

function isLater<T>(answer: T | PromiseLike<T>): answer is PromiseLike<T> {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
}

/** Of a store that answers by promises, a promise of it. */
function outcomeNow<T>(call: () => T | PromiseLike<T>): T | string | Promise<T | string> {
  try {
    const answer = call();
    return isLater(answer) ? outcome(() => answer) : answer;
  } catch (error) {
    if (error instanceof SluiceError) return error.code;
    throw error;
  }
}

/** The answer, or the code of the error. */
async function outcome<T>(call: () => T | PromiseLike<T>): Promise<T | string> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof SluiceError) return error.code;
    throw error;
  }
}
