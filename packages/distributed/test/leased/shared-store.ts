import type { Change, ChangeResponse, Limit, LimitCheck, StoreRequest, StoreResponse, Target } from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';

/** One store for several holders. It remembers every request, and stays open when a holder closes it. */
export class SharedStore extends AsyncStore {
  readonly asks: StoreRequest[] = [];
  readonly changes: Change[] = [];
  /** Called for each reply on its way back. */
  back: () => Promise<void> = async () => {};

  override async consume(ask: StoreRequest): Promise<StoreResponse> {
    this.asks.push(ask);
    const reply = await super.consume(ask);
    await this.back();
    return reply;
  }

  override adjust(change: Change): Promise<ChangeResponse> {
    this.changes.push(change);
    return super.adjust(change);
  }

  override reset(targets: readonly Target[]): Promise<number> {
    return super.reset(targets);
  }

  override async close(): Promise<void> {}
}

export const check = (limit: Limit, own: Partial<LimitCheck> = {}): LimitCheck => ({
  policy: 'api',
  name: 'limit',
  key: 'ann',
  limit,
  cost: 1,
  ...own,
});
