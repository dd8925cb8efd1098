import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoreRequest, StoreResponse } from '@sluice/core';
import type { ManualClock } from '@sluice/core/testing';
import { FragileStore } from '../fragile-store.js';

/** A store that answers in a later turn, and knows how many asks were with it at once. */
export class CrowdedStore extends FragileStore {
  declare readonly clock: ManualClock;
  mostAtOnce = 0;
  #now = 0;

  constructor(clock: ManualClock) {
    super(clock);
  }

  override async consume(ask: StoreRequest): Promise<StoreResponse> {
    this.#now += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#now);
    const reply = await super.consume(ask);
    await nextTurn();
    this.#now -= 1;
    return reply;
  }
}
