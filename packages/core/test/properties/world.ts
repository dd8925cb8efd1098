import {
  type ChangeResult,
  type Limit,
  type LimitCheck,
  MemoryStore,
  type StoreResponse,
  type Verdict,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { CalendarBoundsCache } from '../../src/values/calendar.js';

/** A memory store on a manual clock. */
export class World {
  readonly clock = new ManualClock();
  readonly store = new MemoryStore({ clock: this.clock });
  readonly #calendarBounds = new CalendarBoundsCache(this.clock);
  /** The margin of every check, in thousandths of its quota. */
  readonly #marginShare: number;
  #ids = 0;
  #isQuick = false;

  constructor(marginShare = 0) {
    this.#marginShare = marginShare;
  }

  check(limit: Limit, cost = 1, own: Partial<LimitCheck> = {}): LimitCheck {
    const margin = this.marginOf(limit);
    return {
      policy: 'default',
      name: limit.name ?? 'limit',
      key: 'ann',
      limit,
      cost: limit.algorithm === 'concurrency' ? Math.sign(cost) : cost,
      ...(margin !== 0 && { margin }),
      ...(limit.calendar && { calendarBoundsMs: this.#calendarBounds.now(limit.calendar) }),
      ...own,
    };
  }

  marginOf({ quota }: Limit): number {
    return Math.floor((quota * this.#marginShare) / 1000);
  }

  newId(): string {
    this.#ids += 1;
    return `id-${this.#ids}`;
  }

  ask(checks: readonly LimitCheck[], id = this.newId()): StoreResponse {
    return this.store.consume({ checks, id });
  }

  /** Decides by the general route of the store and by its quick route in turn, because both have to decide alike. */
  consume(limit: Limit, cost = 1): Verdict {
    const checks = [this.check(limit, cost)];
    this.#isQuick = !this.#isQuick;
    if (!this.#isQuick || limit.calendar || limit.algorithm === 'concurrency') return only(this.ask(checks));
    return only(this.store.consume({ checks }));
  }

  /** The decision of a peek, which spends nothing. */
  peek(limit: Limit, cost = 1, own: Partial<LimitCheck> = {}): Verdict {
    return only(this.store.consume({ checks: [this.check(limit, cost, own)], peek: true }));
  }

  adjust(limit: Limit, cost: number, of: { atMs?: number; id?: string } = {}): ChangeResult {
    return this.store.adjust({ checks: [this.check(limit, cost)], ...of }).result;
  }
}

/** Runs `body` in a new world, and ends the world afterwards. */
export function inWorld<T>(body: (world: World) => T, marginShare = 0): T {
  const world = new World(marginShare);
  try {
    return body(world);
  } finally {
    world.store.close();
  }
}

export function only({ verdicts }: StoreResponse): Verdict {
  const [verdict, ...rest] = verdicts;
  if (!verdict || rest.length > 0) throw new Error('expected a single verdict');
  return verdict;
}
