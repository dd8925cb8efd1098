// Nanoseconds and bytes per decision of a policy with one limit, per algorithm, beside a bare counter in a Map: one hot
// key, allowed and refused.
import {
  createLimiter,
  fixedWindow,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';

const ROUNDS = 7;
const DECISIONS = 300_000;
const FEW_DECISIONS = 20_000;
const MANY = 1_000_000_000;

const counters = new Map();
const bare = () => counters.set('ann', (counters.get('ann') ?? 0) + 1);

const policies = {
  'sliding window': (limit) => slidingWindow({ limit, window: '1m' }),
  'sliding window log': (limit) => slidingWindowLog({ limit: Math.min(limit, 10_000), window: '1m' }),
  'sliding window counter': (limit) => slidingWindowCounter({ limit, window: '1m' }),
  'fixed window': (limit) => fixedWindow({ limit, window: '1m' }),
  'token bucket': (limit) => tokenBucket({ capacity: limit, refillRate: 1 }),
};

const subjects = { 'bare Map counter': bare };
for (const [name, limit] of Object.entries(policies)) {
  const allowing = createLimiter({ limit: limit(MANY) });
  const refusing = createLimiter({ limit: limit(1) });
  if (name !== 'sliding window log') subjects[`${name}, allowed`] = () => allowing.consume('ann');
  subjects[`${name}, refused`] = () => refusing.consume('ann');
}

function nanoseconds(decide) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < DECISIONS; i += 1) decide();
  return Number(process.hrtime.bigint() - start) / DECISIONS;
}

/** Of so few decisions that what they allocate is not collected while they are counted. */
function bytes(decide) {
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < FEW_DECISIONS; i += 1) decide();
  return (process.memoryUsage().heapUsed - before) / FEW_DECISIONS;
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

// Interleaved rounds, so that a slow moment of the machine meets all alike.
const rounds = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const [name, decide] of Object.entries(subjects)) {
    const result = { ns: nanoseconds(decide), bytes: bytes(decide) };
    if (round > 0) rounds[name].push(result);
  }
}
const bareNs = median(rounds['bare Map counter'].map(({ ns }) => ns));
const table = {};
for (const [name, results] of Object.entries(rounds)) {
  const ns = median(results.map((result) => result.ns));
  table[name] = {
    'ns per decision': Math.round(ns),
    'times the bare counter': Number((ns / bareNs).toFixed(1)),
    'bytes allocated': Math.round(median(results.map((result) => result.bytes))),
  };
}
console.table(table);
process.exit();
