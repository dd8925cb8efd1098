// Why it is so: core/docs/why/stores-in-front.md

import { DeadlineBudget } from '@sluice/core/src/stores/deadline';
import type { StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import { isMistake } from '@sluice/core/src/values/error';
import type { StoreBeneath } from '../in-front/store-beneath.js';
import type { AcquireResult, LeaseState } from './lease-state.js';
import type { Refusal } from './refusal.js';
import type { SliceSource } from './slice-source.js';

/** Lets requests wait for slices that have the units they ask for. */
export class WaitingForSlices {
  readonly #source: SliceSource;
  readonly #beneath: StoreBeneath;

  constructor(source: SliceSource, beneath: StoreBeneath) {
    this.#source = source;
    this.#beneath = beneath;
  }

  /** Waits for a slice, at most as long as for one reply of the store. */
  async wait(lease: LeaseState, request: StoreRequest, cost: number): Promise<StoreResponse> {
    const { network } = this.#beneath;
    const budget = new DeadlineBudget(network && (request.timeoutMs ?? network.timeoutMs), network);
    lease.wanted += cost;
    try {
      return await this.#join(lease, request, cost, budget);
    } finally {
      lease.wanted -= cost;
    }
  }

  /**
   * Waits for the slice that is on its way, if there is one. Asks for another slice if that is not enough. If a refused caller
   * sees that units have come back, it asks for them once: others may take them first, each time.
   */
  async #join(lease: LeaseState, request: StoreRequest, cost: number, budget: DeadlineBudget): Promise<StoreResponse> {
    let wasRefused = false;
    for (;;) {
      const { taking } = lease;
      let acquired: AcquireResult;
      try {
        acquired = taking
          ? { ...(await budget.within(taking)), answer: undefined }
          : await budget.within(this.#take(lease, request, cost, budget));
      } catch (error) {
        // The response to an earlier request may have arrived late, but in time for this one.
        const response = lease.spend(request.checks, cost, this.#beneath.clock.now());
        if (response) return response;
        // A mistake of the caller that asked, such as a limit that cannot be leased, says nothing about this one.
        if (taking && isMistake(error)) continue;
        throw error;
      }
      const { answer, refusal } = acquired;
      const response = answer ?? lease.spend(request.checks, cost, this.#beneath.clock.now());
      if (response) return response;
      if (!isRefused(lease, request, cost, refusal)) continue;
      const refused = wasRefused ? refusal.withoutPeek(request) : await refusal.of(request, budget);
      if (refused) return refused;
      wasRefused = true;
    }
  }

  #take(lease: LeaseState, request: StoreRequest, cost: number, budget: DeadlineBudget): Promise<AcquireResult> {
    this.#beneath.checkOpen();
    lease.taking = this.#source.take(lease, request, cost, budget).finally(() => {
      lease.taking = undefined;
    });
    return lease.taking;
  }
}

/** A caller that asks for at least as much as a refused one would be refused as well. */
function isRefused(lease: LeaseState, { checks }: StoreRequest, cost: number, refusal: Refusal): boolean {
  return cost >= refusal.cost + (lease.slice?.left ?? 0) && lease.hasNumbersOf(checks);
}
