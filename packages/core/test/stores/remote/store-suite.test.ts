import { describe, it } from '@jest/globals';
import { ResilientStore } from '../../../src/stores/remote/remote-store.js';
import { storeSuite } from '../../../src/testing/index.js';
import { RemoteMemory } from './remote-memory.js';

// The suite is about answers, not about a busy machine.
const AMPLE_MS = 10_000;

storeSuite('ResilientStore over a remote store', (clock) => new ResilientStore(new RemoteMemory(clock, AMPLE_MS)), {
  describe,
  it,
});
