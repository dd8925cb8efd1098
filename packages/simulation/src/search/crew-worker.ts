import { parentPort, workerData } from 'node:worker_threads';
import { type CodeFolders, type Order, playOf, READY } from './crew.js';
import { reportOf } from './one-tape.js';
import { runSeed } from './seed-run.js';

// The thread of a `WorkerCrew`: plays one seed or tape after another.
const play = await playOf(workerData as CodeFolders);
parentPort?.on('message', async (order: Order) => {
  const answer = 'seed' in order ? runSeed(order.seed, play, order.options) : reportOf(order.tape, play, order.options);
  parentPort?.postMessage(await answer);
});
parentPort?.postMessage(READY);
