import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { guaranteeSuite } from '@sluice/test-kit/guarantee-suite';

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
