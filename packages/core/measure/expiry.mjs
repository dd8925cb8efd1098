// A million keys that expire together while nothing else happens: how soon their memory is back, and the longest stall
// meanwhile.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLimiter, MemoryStore } from '@sluice/core';

const KEYS = 1_000_000;
const store = new MemoryStore({ maxKeys: 2 * KEYS });
let skewMs = 0;
const { clock } = store;
const shifted = new MemoryStore({ maxKeys: 2 * KEYS, clock: { now: () => clock.now() + skewMs, sleep: clock.sleep } });
const limiter = createLimiter({ limit: 5, window: '1h', store: shifted });
for (let i = 0; i < KEYS; i += 1) limiter.consume(`key-${i}`);
globalThis.gc();

skewMs = 2 * 3_600_000;
const stalls = monitorEventLoopDelay({ resolution: 1 });
stalls.enable();
const start = performance.now();
while (shifted.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
stalls.disable();

console.table({
  'expired keys': KEYS,
  'seconds until all are released': Number(((performance.now() - start) / 1000).toFixed(1)),
  'longest stall, ms': Number((stalls.max / 1e6).toFixed(1)),
});
shifted.close();
