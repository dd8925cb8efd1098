import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { FreshStore } from '@sluice/test-kit/fresh-store';
import { EVERYTHING } from '@sluice/test-kit/store-claims';
import { RemoteMemory } from './remote-memory.js';

// The suite tests replies, not how busy the machine is.
const AMPLE_MS = 10_000;

storeSuite('RemoteStore, asked each time', (clock) => new FreshStore(new RemoteMemory(clock, AMPLE_MS)), EVERYTHING, {
  describe,
  it,
});
