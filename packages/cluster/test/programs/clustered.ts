import cluster from 'node:cluster';
import { createLimiter } from '@sluice/core';
import { clusterStore } from '../../src/index.js';

const WORKERS = 4;

const store = clusterStore({ timeout: '10s', instances: WORKERS });
const limiter = createLimiter({ limit: 100, window: '1h', store });

/** Asks 100 times, and returns how many were admitted, and who decided. */
async function ask(): Promise<object> {
  const decisions = await Promise.all(Array.from({ length: 100 }, () => limiter.consume('ann')));
  const admitted = decisions.filter(({ allowed }) => allowed).length;
  return { admitted, sources: [...new Set(decisions.map(({ source }) => source))], isPrimary: store.isPrimary };
}

if (process.argv[2] === 'instance') {
  // Instance 0 stays until the other one has its answers.
  ask().then((answer) => {
    console.log(JSON.stringify(answer));
    setTimeout(() => {}, 1000);
  });
} else if (cluster.isPrimary) {
  const answers: unknown[] = [];
  for (let i = 0; i < WORKERS; i += 1) {
    cluster.fork().on('message', (answer) => {
      answers.push(answer);
      if (answers.length < WORKERS) return;
      console.log(JSON.stringify({ answers, isPrimary: store.isPrimary }));
      cluster.disconnect();
    });
  }
} else {
  ask().then((answer) => process.send?.(answer));
}
