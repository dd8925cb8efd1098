// A million keys that expire together while nothing else happens: how soon their memory is back, and the longest stall
// meanwhile.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLimiter, MemoryStore } from '@sluice/core';

const KEYS = 1_000_000;

// The work of each sweep by the processor's own time, in which the machine's pauses do not count.
let longestSweepMs = 0;
const every = globalThis.setInterval;
globalThis.setInterval = (work, ms) =>
  every(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    longestSweepMs = Math.max(longestSweepMs, (user + system) / 1000);
  }, ms);
const store = new MemoryStore({ maxKeys: 2 * KEYS });
let skewMs = 0;
const { clock } = store;
const shifted = new MemoryStore({ maxKeys: 2 * KEYS, clock: { now: () => clock.now() + skewMs, sleep: clock.sleep } });
const limiter = createLimiter({ limit: 5, window: '1h', store: shifted });
for (let i = 0; i < KEYS; i += 1) limiter.consume(`key-${i}`);
globalThis.gc();

async function longestStallMs(until) {
  const stalls = monitorEventLoopDelay({ resolution: 1 });
  stalls.enable();
  while (!until()) await new Promise((resolve) => setTimeout(resolve, 20));
  stalls.disable();
  return { longest: Number((stalls.max / 1e6).toFixed(1)), mostly: Number((stalls.percentile(99.9) / 1e6).toFixed(1)) };
}

let start = performance.now();
const idle = await longestStallMs(() => performance.now() - start > 6000);
skewMs = 2 * 3_600_000;
start = performance.now();
const expiring = await longestStallMs(() => shifted.size === 0);
const seconds = (performance.now() - start) / 1000;

console.table({
  'expired keys': KEYS,
  'seconds until all are released': Number(seconds.toFixed(1)),
  'longest stall, ms': expiring.longest,
  'longest sweep, ms of processor time': Number(longestSweepMs.toFixed(1)),
  'of 1,000 turns 999 within, ms': expiring.mostly,
  'doing nothing: longest stall, ms': idle.longest,
  'doing nothing: 999 within, ms': idle.mostly,
});
shifted.close();
