import {
  type Change,
  type ChangeResponse,
  fixedWindow,
  type LimitCheck,
  type PartCheck,
  type Store,
  type StoreRequest,
  type StoreResponse,
  slidingWindow,
  type Target,
} from '@sluice/core';
import type { RedisStore } from '../src/index.js';

const STRANGERS = [slidingWindow({ limit: 2, window: '1m' }), fixedWindow({ limit: 2, window: '1m' })];

/** A store each of whose questions travels among questions of strangers, of which some are refused and some fail. */
export class Crowd implements Store<true> {
  readonly async = true;
  readonly clock: Store['clock'];
  readonly supports: Store['supports'];
  readonly blocks: NonNullable<Store<true>['blocks']>;
  readonly #store: Store<true>;

  constructor(store: RedisStore) {
    this.#store = store;
    this.clock = store.clock;
    this.supports = store.supports;
    this.blocks = store.blocks;
  }

  async consume(ask: StoreRequest): Promise<StoreResponse> {
    this.#askAround(ask);
    const reply = this.#store.consume(ask);
    this.#askAround(ask);
    return reply;
  }

  adjust(change: Change): Promise<ChangeResponse> {
    this.#askAround(change);
    return this.#store.adjust(change);
  }

  reset(targets: readonly Target[]): Promise<number> {
    return this.#store.reset(targets);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Some ask by the same limits, some look at the same keys, and one comes too late. */
  #askAround({ checks }: Pick<StoreRequest, 'checks'>): void {
    const strangers = STRANGERS.map(
      (limit, i): LimitCheck => ({ policy: '?', name: `${i}`, key: 'stranger', limit, cost: 1 }),
    );
    const alike = checks.map(ofStranger);
    const asks: StoreRequest[] = [
      { checks: strangers },
      { checks: alike, id: 'stranger' },
      { checks: strangers, notAfterMs: 1 },
      { checks: checks.map((check) => ({ ...check, cost: 1 })), peek: true },
    ];
    for (const ask of asks) Promise.resolve(this.#store.consume(ask)).catch(() => {});
  }
}

function ofStranger({ parts, ...check }: LimitCheck): LimitCheck {
  const own = { ...check, policy: '?', cost: 1 };
  const partOf = (part: PartCheck): PartCheck => ({ ...part, policy: '?', cost: 1 });
  return parts ? { ...own, parts: { own: partOf(parts.own), all: partOf(parts.all), lend: parts.lend } } : own;
}
