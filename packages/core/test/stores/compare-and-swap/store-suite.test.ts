import { describe, it } from '@jest/globals';
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
  { describe, it },
  (clock) => compareAndSwapStore(backend, { clock }),
);
