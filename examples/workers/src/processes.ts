import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAINS = { upstream: './upstream-main.js', web: './web-main.js', worker: './worker-main.js' } as const;

/** The processes of the example, each with an environment of its own. */
export class Processes {
  readonly #running: ChildProcess[] = [];

  start(main: keyof typeof MAINS, env: NodeJS.ProcessEnv): void {
    const path = fileURLToPath(new URL(MAINS[main], import.meta.url));
    this.#running.push(fork(path, { env: { ...process.env, ...env } }));
  }

  /** Asks all of them to end, and resolves when they have. Those that were started last end first. */
  async stop(): Promise<void> {
    for (const child of this.#running.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
}
