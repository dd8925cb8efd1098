import {
  type Change,
  type Limit,
  type LimitCheck,
  SluiceError,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
} from '@sluice/core';
import { calendarBoundsAround } from '@sluice/core/src/calendars/bounds';
import { type Amount, HUGE_COST, listed, type Place, type Step, withParts } from '@sluice/test-kit/differential/scenes';

type StepOf<Verb extends Step['verb']> = Extract<Step, { verb: Verb }>;

/** The time of a scene. */
export interface SceneClock {
  now(): number;
  moveBy(ms: number): void;
}

/** Plays the steps of a scene on any number of stores. Each step is asked of all of them, and has to have the same outcome. */
export class ScenePlayer {
  readonly #stores: readonly Store<true>[];
  readonly #clock: SceneClock;
  readonly #subject: string;
  readonly #places: readonly Place[];
  readonly #limits: Limit[];
  readonly #ids: string[] = [];
  readonly #times: number[] = [];
  readonly #asks: StoreRequest[] = [];
  readonly #changes: Change[] = [];
  #waitsMs: number[] = [];

  constructor(stores: readonly Store<true>[], clock: SceneClock, subject: string, places: readonly Place[]) {
    this.#stores = stores;
    this.#clock = clock;
    this.#subject = subject;
    this.#places = places;
    this.#limits = places.map(({ variants }) => variants[0] as Limit);
  }

  /** Returns the outcome of each store: all are the same if nothing is wrong. */
  async make(step: Step): Promise<readonly unknown[]> {
    switch (step.verb) {
      case 'ask':
        return this.#consume(this.#askOf(step));
      case 'adjust':
        return this.#adjust(this.#changeOf(step));
      case 'repeat-ask':
        return this.#asks.length === 0 ? [] : this.#consume(picked(this.#asks, step.pick));
      case 'repeat-change':
        return this.#changes.length === 0 ? [] : this.#adjust(picked(this.#changes, step.pick));
      case 'reset':
        return this.#each((store) => store.reset(this.#targets(step.mask)));
      case 'block':
        return this.#each((store) => store.blocks?.block({ targets: this.#targets(step.mask), forMs: step.forMs }));
      case 'unblock':
        return this.#each((store) => store.blocks?.unblock(this.#targets(step.mask)));
      case 'change-limit': {
        const i = step.pick % this.#places.length;
        this.#limits[i] = picked((this.#places[i] as Place).variants, step.variant);
        return [];
      }
      case 'wait':
        if (this.#waitsMs.length > 0) this.#clock.moveBy(picked(this.#waitsMs, step.pick) + step.plusMs);
        return [];
      case 'move-clock':
        this.#clock.moveBy(step.ms);
        return [];
    }
  }

  /** Waits for what stores write by themselves. */
  quiet(): Promise<readonly unknown[]> {
    return this.#each((store) => store.blocks?.list('policy', { limit: 5 }));
  }

  #each(call: (store: Store<true>) => unknown): Promise<readonly unknown[]> {
    return Promise.all(
      this.#stores.map(async (store) => {
        try {
          return await call(store);
        } catch (error) {
          if (error instanceof SluiceError) return `${error.code}: ${error.message}, ${error.cause}`;
          return `${error}`;
        }
      }),
    );
  }

  async #consume(ask: StoreRequest): Promise<readonly unknown[]> {
    const outcomes = await this.#each((store) => store.consume(ask));
    const [first] = outcomes;
    if (typeof first === 'object') this.#note(first as StoreResponse);
    return outcomes;
  }

  #note({ atMs, verdicts }: StoreResponse): void {
    this.#times.push(atMs);
    // A limit that takes a thousand years would carry the clock out of the times that a date can be.
    for (const { retryAfterMs, resetAfterMs } of listed(verdicts))
      for (const waitMs of [retryAfterMs, resetAfterMs])
        if (waitMs !== 'never' && waitMs < 1e12) this.#waitsMs.push(waitMs);
    this.#waitsMs = this.#waitsMs.slice(-8);
  }

  #adjust(change: Change): Promise<readonly unknown[]> {
    return this.#each((store) => store.adjust(change));
  }

  #askOf(step: StepOf<'ask'>): StoreRequest {
    const { mode, atLeast, deadlineMs } = step;
    const isPlain = mode !== 'renew' && atLeast === undefined;
    const made = this.#checks(step);
    const all = isPlain ? withParts(this.#places, made) : [...made.values()];
    const slots = [...made.values()].filter(({ limit }) => limit.algorithm === 'concurrency');
    const isRenewal = mode === 'renew' && slots.length > 0;
    const holdMs = isRenewal ? undefined : step.holdMs;
    const id = this.#idFor(slots.length > 0 || holdMs !== undefined ? 'new' : step.id, step.pick);
    const ask: StoreRequest = {
      checks: isRenewal ? slots : all,
      ...(mode === 'peek' && { peek: true as const }),
      ...(isRenewal && { renew: true as const }),
      ...(id !== undefined && { id }),
      ...(holdMs !== undefined && { holdMs }),
      ...(atLeast !== undefined && { atLeast }),
      ...(deadlineMs !== undefined && { notAfterMs: this.#clock.now() + deadlineMs }),
    };
    this.#asks.push(ask);
    return ask;
  }

  #changeOf(step: StepOf<'adjust'>): Change {
    const id = this.#idFor(step.id, step.pick);
    const atMs = step.at === 'earlier' && this.#times.length > 0 ? picked(this.#times, step.pick) : undefined;
    const change: Change = {
      checks: withParts(this.#places, this.#checks(step, step.isBack ? -1 : 1)),
      ...(atMs !== undefined && { atMs }),
      ...(id !== undefined && { id }),
    };
    this.#changes.push(change);
    return change;
  }

  /** Returns a check of each chosen place. */
  #checks({ mask, amounts, margins, boundsOff }: StepOf<'ask' | 'adjust'>, sign = 1): ReadonlyMap<number, LimitCheck> {
    const checkAt = (i: number): LimitCheck => {
      const limit = this.#limits[i] as Limit;
      const units = unitsOf(amounts[i] as Amount, limit);
      const margin = Math.floor((limit.quota * (margins[i] ?? 0)) / 1000);
      const { isShadow } = this.#places[i] as Place;
      const calendarBoundsMs =
        limit.calendar &&
        calendarBoundsAround(limit.calendar, this.#clock.now() + boundsOff * (limit.windowMs as number));
      return {
        ...this.#target(i),
        limit,
        cost: sign * (limit.algorithm === 'concurrency' ? Math.sign(units) : units) + 0,
        ...(margin !== 0 && { margin }),
        ...(isShadow && { shadow: true as const }),
        ...(calendarBoundsMs && { calendarBoundsMs }),
      };
    };
    return new Map(maskedBy(mask, this.#limits.length).map((i) => [i, checkAt(i)]));
  }

  #targets(mask: number): Target[] {
    return maskedBy(mask, this.#limits.length).map((i) => this.#target(i));
  }

  #target(i: number): Target {
    return { policy: 'policy', name: `limit-${i}`, key: this.#subject };
  }

  #idFor(choice: 'none' | 'new' | 'earlier', pick: number): string | undefined {
    if (choice === 'none') return undefined;
    if (choice === 'earlier' && this.#ids.length > 0) return picked(this.#ids, pick);
    this.#ids.push(`id-${this.#ids.length}`);
    return this.#ids.at(-1);
  }
}

const picked = <T>(list: readonly T[], pick: number): T => list[pick % list.length] as T;

/** The places whose bit is set, or all of them when none is. */
function maskedBy(mask: number, count: number): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  const masked = all.filter((i) => (mask & (1 << i)) !== 0);
  return masked.length > 0 ? masked : all;
}

function unitsOf(amount: Amount, { quota }: Limit): number {
  const units = 'units' in amount ? amount.units : Math.ceil((quota * amount.share) / 1000);
  return Math.min(units, HUGE_COST);
}
