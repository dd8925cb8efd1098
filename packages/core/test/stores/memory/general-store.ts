import { MemoryStore, type StoreRequest, type StoreResponse } from '@sluice/core';

/**
 * A memory store that decides nothing by its quick route: each request has a deadline that never comes, which only the route for
 * every request knows. The decisions are the same.
 */
export class GeneralStore extends MemoryStore {
  asked = 0;

  override consume(ask: StoreRequest): StoreResponse {
    this.asked += 1;
    return super.consume({ notAfterMs: Number.POSITIVE_INFINITY, ...ask });
  }
}
