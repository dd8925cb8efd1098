import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { settingsFrom } from '@sluice/example-shared';
import { hints } from './hints.js';
import { startPlatform } from './platform.js';

const WORKERS = 2;

/** Runs the platform over a Redis until somebody stops it. */
export async function runPlatform(redisUrl: string): Promise<void> {
  const { port } = settingsFrom(process.env);
  const platform = await startPlatform(redisUrl, port);
  const env = { ...process.env, REDIS_URL: redisUrl, GATEWAY_URL: platform.url };
  const path = fileURLToPath(new URL('./worker-main.js', import.meta.url));
  const workers = Array.from({ length: WORKERS }, () => fork(path, { env }));
  console.log(hints(platform.url));
  const signal = await stopped(workers);
  console.log(`${signal}: stopping when all calls are answered.`);
  await Promise.all(workers.map(ended));
  await platform.close();
}

/** Resolves with what ends the platform: a signal, or a worker that has ended by itself. */
function stopped(workers: readonly ChildProcess[]): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
    for (const worker of workers) {
      worker.once('exit', () => {
        process.exitCode ??= 1;
        resolve('A worker has ended');
      });
    }
  });
}

async function ended(worker: ChildProcess): Promise<void> {
  worker.removeAllListeners('exit');
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.kill('SIGTERM');
  await once(worker, 'exit');
}
