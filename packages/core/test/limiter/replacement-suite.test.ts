import { replacementSuite } from '@sluice/test-kit/replacement-suite';
import { MemoryStore } from '../../src/index.js';
import { systemClock } from '../../src/values/clock.js';
import { RemoteMemory } from '../stores/remote/remote-memory.js';

replacementSuite('a memory store', () => new MemoryStore());
replacementSuite('a store behind a network', () => new RemoteMemory(systemClock, 10_000));
