import { parentPort, workerData } from 'node:worker_threads';
import { type CodeFolders, playOf, READY, type SeedOrder } from './crew.js';
import { runSeed } from './seed-run.js';

// The thread of a `WorkerCrew`: plays one seed after another.
const play = await playOf(workerData as CodeFolders);
parentPort?.on('message', async ({ seed, options }: SeedOrder) => {
  parentPort?.postMessage(await runSeed(seed, play, options));
});
parentPort?.postMessage(READY);
