// What metrics cost: a scrape of many policies, and a decision while they are shown.
//
//   npx tsc -b && node packages/bench/measure/metrics.mjs
import { createLimiter, MemoryStore } from '@sluice/core';
import { prometheusMetrics, topRefused } from '@sluice/metrics';
import { Registry } from 'prom-client';

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Runs something, and returns how long it took, and the longest time in which nothing else could run meanwhile. */
async function watched(run) {
  let lastMs = performance.now();
  let stallMs = 0;
  let isOver = false;
  const look = () => {
    const nowMs = performance.now();
    stallMs = Math.max(stallMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const startMs = performance.now();
  await run();
  const tookMs = performance.now() - startMs;
  stallMs = Math.max(stallMs, performance.now() - lastMs);
  isOver = true;
  return { tookMs, stallMs };
}

let made = 0;
async function scrape(policies, mostMs) {
  const store = new MemoryStore({ maxKeys: 10_000 });
  for (; made < policies; made += 1) {
    const limiter = createLimiter({ name: `policy-${made}`, limit: 5, window: '1m', store });
    for (let i = 0; i < 8; i += 1) limiter.consume('ann');
  }
  const registry = new Registry();
  prometheusMetrics({ registry });
  const text = await registry.metrics();
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
  const runs = [];
  for (let i = 0; i < 30; i += 1) runs.push(await watched(() => registry.metrics()));
  const ms = (numbers) => `${numbers.toFixed(1)} ms`;
  const tookMs = median(runs.map((run) => run.tookMs));
  const stallMs = median(runs.map((run) => run.stallMs));
  const worstMs = Math.max(...runs.map((run) => run.stallMs));
  const missed = tookMs > mostMs ? ' **missed**' : '';
  console.log(
    `metrics: scrape of ${policies} policies (${series} series): ${ms(tookMs)} of at most ${mostMs} ms${missed}, longest stall ${ms(stallMs)} (worst of 30: ${ms(worstMs)}), ${Math.round(text.length / 1024)} KiB`,
  );
}

/** Processor time of a decision about one key, in nanoseconds. */
function decisionNs(limiter, key = () => 'ann') {
  const DECISIONS = 200_000;
  const startMs = cpuMs();
  for (let i = 0; i < DECISIONS; i += 1) limiter.consume(key(i));
  return ((cpuMs() - startMs) * 1e6) / DECISIONS;
}

/** The ratio of two ways, in many rounds that take turns, so that a busy machine disturbs both. */
async function compare(name, most, without, withIt) {
  const ratios = [];
  const all = [[], []];
  for (let round = 0; round < 41; round += 1) {
    const pair = [];
    for (const [i, way] of [without, withIt].entries()) {
      pair[i] = await way();
      if (round > 0) all[i].push(pair[i]);
    }
    if (round > 0) ratios.push(pair[1] / pair[0]);
  }
  const [before, after] = all.map(median);
  const ratio = median(ratios);
  const missed = most !== undefined && ratio > most ? ' **missed**' : '';
  const bound = most === undefined ? '' : ` of at most ${most}`;
  console.log(
    `metrics: ${name}: ${ratio.toFixed(2)} times${bound}${missed} (${before.toFixed(0)} and ${after.toFixed(0)} ns)`,
  );
}

const hot = createLimiter({ name: 'hot', limit: 1_000_000_000, window: '1h', store: new MemoryStore() });
const registry = new Registry();
await compare(
  'a hot key with metrics, which are scraped every 200,000 decisions',
  1.05,
  () => decisionNs(hot),
  async () => {
    const remove = prometheusMetrics({ registry });
    const ns = decisionNs(hot);
    await registry.metrics();
    remove();
    return ns;
  },
);

const refusing = createLimiter({ name: 'refusing', limit: 1, window: '1h', store: new MemoryStore() });
refusing.consume('ann');
const listening = (limiter, key) => () => {
  const top = topRefused();
  const ns = decisionNs(limiter, key);
  top.stop();
  return ns;
};
await compare('an allowed hot key with topRefused', undefined, () => decisionNs(hot), listening(hot));
await compare('a refused hot key with topRefused', undefined, () => decisionNs(refusing), listening(refusing));
const fresh = createLimiter({ name: 'fresh', limit: 1, window: '1h', store: new MemoryStore({ maxKeys: 1_000_000 }) });
const keys = Array.from({ length: 200_000 }, (_, i) => `fresh ${i}`);
for (const key of keys) fresh.consume(key);
const freshKey = (i) => keys[i];
await compare(
  'refusals of 200,000 keys with topRefused',
  undefined,
  () => decisionNs(fresh, freshKey),
  listening(fresh, freshKey),
);

await scrape(100, 80);
await scrape(1000, 400);
