import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAINS = { upstream: './upstream-main.js', web: './web-main.js', worker: './worker-main.js' } as const;

/** The processes of the example, each with an environment of its own. */
export class Processes {
  readonly #running: ChildProcess[] = [];
  #isStopping = false;
  #notify: (name: string) => void = () => {};

  /** Resolves with the name of the first process that ends before it is asked to. */
  readonly ended = new Promise<string>((resolve) => {
    this.#notify = resolve;
  });

  /** Starts a process. Resolves when it says that it listens: anybody may answer at its port. */
  start(main: keyof typeof MAINS, env: NodeJS.ProcessEnv): Promise<void> {
    const path = fileURLToPath(new URL(MAINS[main], import.meta.url));
    const child = fork(path, { env: { ...process.env, ...env } });
    child.once('exit', () => {
      if (!this.#isStopping) this.#notify(main);
    });
    this.#running.push(child);
    return new Promise((resolve) => child.once('message', () => resolve()));
  }

  /** Asks all of them to end, and resolves when they have. Those that were started last end first. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const child of this.#running.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
}
