import { guaranteeSuite } from '@sluice/test-kit/guarantee-suite';
import { MemoryStore } from '../../src/index.js';
import { ManualClock } from '../../src/testing/index.js';

guaranteeSuite(
  'memory',
  async (play) => {
    const clock = new ManualClock();
    const store = new MemoryStore({ clock });
    try {
      return await play(store, clock);
    } finally {
      store.close();
    }
  },
  { adversaries: 1, steps: 800, seconds: 2 },
);
