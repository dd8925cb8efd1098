import { describe, it } from '@jest/globals';
import { EVERYTHING } from '@sluice/test-kit/store-claims';
import { compareAndSwapStore } from '../../../src/stores/compare-and-swap/compare-and-swap-store.js';
import { storeSuite } from '../../../src/testing/index.js';
import { MapBackend } from './map-backend.js';

let backend: MapBackend;

storeSuite(
  'A store over a Map',
  (clock) => {
    backend = new MapBackend();
    return compareAndSwapStore(backend, { clock });
  },
  EVERYTHING,
  { describe, it },
  (clock) => compareAndSwapStore(backend, { clock }),
);
