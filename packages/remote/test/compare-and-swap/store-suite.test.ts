import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { EVERYTHING, PEEKS_OF_SHARED_CODE } from '@sluice/test-kit/store-claims';
import type { Swap } from '../../src/compare-and-swap/backend.js';
import { compareAndSwapStore } from '../../src/compare-and-swap/compare-and-swap-store.js';
import { MapBackend } from './map-backend.js';

let backend: MapBackend;

storeSuite(
  'A store over a Map',
  (clock) => {
    backend = new MapBackend();
    return compareAndSwapStore(backend, { clock });
  },
  EVERYTHING,
  { describe, it, beside: (clock) => compareAndSwapStore(backend, { clock }) },
);

/**
 * A database whose client sends each write twice, and says what became of the second one. A write that only deletes is sent once: it
 * leaves nothing by which it could be recognized.
 */
class TwiceBackend extends MapBackend {
  override async swap(swaps: readonly Swap[]): Promise<boolean> {
    const isMade = await super.swap(swaps);
    return swaps.some(({ next }) => next) ? super.swap(swaps) : isMade;
  }
}

storeSuite(
  'A store over a Map that gets each write twice',
  (clock) => {
    backend = new TwiceBackend();
    return compareAndSwapStore(backend, { clock });
  },
  EVERYTHING,
  { describe, it, beside: (clock) => compareAndSwapStore(backend, { clock }), peeks: PEEKS_OF_SHARED_CODE },
);
