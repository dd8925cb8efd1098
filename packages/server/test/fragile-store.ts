import { FragileStore as FragileMemory } from '@sluice/conformance/src/adapter-suite/fragile-store';
import type { Clock, StoreRequest, StoreResponse } from '@sluice/core';

/** A store that answers with promises, as one on another machine does, and that a test can make fail. */
export class FragileStore extends FragileMemory {
  /** Decisions wait for this. */
  before: Promise<unknown> | undefined;

  constructor(clock: Clock) {
    super(clock, true);
  }

  set isLost(isLost: boolean) {
    this.failure = isLost ? new Error('the store is lost') : undefined;
  }

  override async consume(request: StoreRequest): Promise<StoreResponse> {
    await this.before;
    return super.consume(request);
  }
}
