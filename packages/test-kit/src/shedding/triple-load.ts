import { pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** How long the load lasts. */
const LOAD_MS = 500;

const TIMES_CAPACITY = 3;

/** How much work one request is: some milliseconds. */
const ROUNDS = 4000;

/** How long a handler waits after its work, for something else. */
const PAUSE_MS = 10;

/** A handler that keeps the event loop busy, and then waits. */
export async function handle(): Promise<void> {
  work();
  await pause(PAUSE_MS);
}

function work(): void {
  pbkdf2Sync('password', 'salt', ROUNDS, 32, 'sha256');
}

/** Sends requests at a steady rate, however long the answers take. It has an event loop of its own. */
const CLIENT = `
const { workerData, parentPort } = require('node:worker_threads');
const { Agent, get } = require('node:http');
const { url, paths, total, perMs } = workerData;
const agent = new Agent({ keepAlive: true, maxSockets: 200 });
const counts = {};
let [sent, ended] = [0, 0];
const count = (path, status) => {
  const key = path + ' ' + status;
  counts[key] = (counts[key] ?? 0) + 1;
  ended += 1;
  if (ended < total) return;
  parentPort.postMessage(counts);
  agent.destroy();
};
const send = (path) => {
  get(new URL(path, url), { agent }, (response) => {
    response.resume().on('end', () => count(path, response.statusCode));
  // The server may close a connection at the moment in which it is used again.
  }).on('error', () => send(path));
};
const begin = performance.now();
const tick = () => {
  const due = Math.min(total, Math.floor((performance.now() - begin) * perMs));
  for (; sent < due; sent += 1) send(paths[sent % paths.length]);
  if (sent < total) setTimeout(tick, 5);
};
tick();
`;

/**
 * Sends requests to the paths in turn, at three times the rate at which this machine can do the work of each. Returns how
 * many had which end: `{ '/ 200': 170, '/ 503': 410 }`.
 */
export async function tripleLoad(url: string, paths: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const perMs = TIMES_CAPACITY / workMs();
  const total = Math.ceil(LOAD_MS * perMs);
  const worker = new Worker(CLIENT, { eval: true, workerData: { url, paths, total, perMs } });
  const [counts] = (await once(worker, 'message')) as [Record<string, number>];
  await worker.terminate();
  return counts;
}

function workMs(): number {
  const samples = 10;
  work();
  const begin = performance.now();
  for (let i = 0; i < samples; i += 1) work();
  return (performance.now() - begin) / samples;
}
