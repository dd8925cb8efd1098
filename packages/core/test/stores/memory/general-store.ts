import { type Ask, MemoryStore, type Reply } from '../../../src/index.js';

/**
 * A memory store that decides nothing by its quick route: each ask has a deadline that never comes, which only the route for
 * every ask knows. The decisions are the same.
 */
export class GeneralStore extends MemoryStore {
  asked = 0;

  override consume(ask: Ask): Reply {
    this.asked += 1;
    return super.consume({ notAfterMs: Number.POSITIVE_INFINITY, ...ask });
  }
}
