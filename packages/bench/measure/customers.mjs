// A policy file with 100,000 customers: how long until it is applied, what it takes of the heap, how long the event loop stands
// still meanwhile, and what a decision costs beside a static policy. Run with --expose-gc.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fromFile, policies } from '@sluice/config';
import { createLimiter, MemoryStore, slidingWindow, subscribe } from '@sluice/core';
import { byHeader } from '@sluice/core/http';

const CUSTOMERS = 100_000;
const DECISIONS = 100_000;
const ROUNDS = 7;
const LOADS = 5;

const TIERS = 'tiers: { free: { minute: { limit: 600, window: 1m } }, pro: { minute: { limit: 6000, window: 1m } } }';
const text = (count, pro) => `version: 1
keys: { customer: { header: x-api-key } }
${TIERS}
customers:
${Array.from({ length: count }, (_, i) => `  customer-${i}: { tier: ${i % pro === 0 ? 'pro' : 'free'} }`).join('\n')}
policies:
  api:
    key: customer
    tier: { from: customers, default: free }
    limits: [{ name: minute, tier: true }]
`;

const heap = () => {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};
const requestOf = (i) => ({ method: 'GET', url: '/', headers: { 'x-api-key': `customer-${i}` }, ip: '192.0.2.1' });
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

// Live policies do not keep a process alive.
const alive = setInterval(() => {}, 1000);
const folder = mkdtempSync(join(tmpdir(), 'sluice-customers-'));
const path = join(folder, 'sluice.yaml');
writeFileSync(path, text(1, 10));
const live = await policies({ source: fromFile(path), store: new MemoryStore() });
const limiter = createLimiter(live.policy('api'));
await pause(1000);

/** The longest stretch of processor time between two turns of the event loop: what others on the machine do is not in it. */
const stalls = () => {
  let longestMs = 0;
  let isOver = false;
  const cpuMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let lastMs = cpuMs();
  const turn = () => {
    const nowMs = cpuMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return longestMs;
  };
};

const before = heap();
const longest = [];
const times = [];
for (let load = 0; load < LOADS; load += 1) {
  const applied = new Promise((resolve) => {
    const end = subscribe('sluice:policy', ({ outcome }) => {
      if (outcome !== 'applied') return;
      end();
      resolve();
    });
  });
  writeFileSync(`${path}.tmp`, text(CUSTOMERS, 10 + load));
  await pause(500);
  const stop = stalls();
  const startMs = performance.now();
  renameSync(`${path}.tmp`, path);
  await applied;
  times.push(performance.now() - startMs);
  longest.push(stop());
}
const appliedMs = median(times);
const stallMs = median(longest);
const takenBytes = heap() - before;

const fixed = createLimiter({
  name: 'static',
  store: new MemoryStore(),
  limit: slidingWindow({ limit: 600, window: '1m' }),
  keyGenerator: byHeader('x-api-key'),
});
const often = Array.from({ length: 1000 }, (_, i) => requestOf(i * 97));
const rarely = Array.from({ length: 20_000 }, (_, i) => requestOf(i * 5));
const cost = (one, requests) => {
  const from = process.cpuUsage();
  for (let i = 0; i < DECISIONS; i += 1) one.reserve(requests[i % requests.length]);
  const { user, system } = process.cpuUsage(from);
  return ((user + system) * 1000) / DECISIONS;
};
/** The cost of a decision beside a static one, as the median of rounds that measure both. */
const ratioFor = (requests) => {
  for (const one of [fixed, limiter]) cost(one, requests);
  const ratios = Array.from({ length: ROUNDS }, (_, round) => {
    const order = round % 2 === 0 ? [fixed, limiter] : [limiter, fixed];
    const costs = new Map(order.map((one) => [one, cost(one, requests)]));
    return costs.get(limiter) / costs.get(fixed);
  });
  return median(ratios);
};
const ratio = ratioFor(often);
const rareRatio = ratioFor(rarely);
console.log(
  `customers: ${CUSTOMERS} applied ${Math.round(appliedMs)} ms after the rename (at most 2000), ` +
    `${Math.round(takenBytes / 1e6)} MB of the heap (at most 100), longest stall ${stallMs.toFixed(1)} ms (at most 50), ` +
    `a decision ${ratio.toFixed(2)} times a static one (at most 1.1); ${rareRatio.toFixed(2)} times if 20,000 customers take turns`,
);
await live.close();
clearInterval(alive);
rmSync(folder, { recursive: true });
const isMet = appliedMs <= 2000 && takenBytes <= 100e6 && stallMs <= 50 && Math.max(ratio, rareRatio) <= 1.1;
if (!isMet) process.exitCode = 1;
