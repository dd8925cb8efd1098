import type { Consumed, StoreRequest } from '@sluice/core';
import type { RequestTerms } from '@sluice/remote/guard/protected-store';
import { RemoteStore } from '@sluice/remote/guard/remote-store';

/** A remote store that asks each time, as wrapping stores do: no remembered refusal replaces the store's reply. */
export class FreshStore extends RemoteStore {
  override consume(ask: StoreRequest, terms?: RequestTerms): Consumed<true> {
    return super.consume(ask, { ...terms, isFresh: true });
  }
}
