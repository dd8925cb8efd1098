import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process that keeps the counters, and can be frozen, killed and started again. */
export class PrimaryProcess {
  readonly #program: string;
  readonly #channel: string;
  #process: ChildProcess | undefined;

  constructor(program: string, channel: string) {
    this.#program = program;
    this.#channel = channel;
  }

  /** Resolves when it answers. */
  async run(): Promise<void> {
    this.#process = fork(this.#program, [this.#channel], { execArgv: [] });
    await once(this.#process, 'message');
  }

  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  kill(): Promise<void> {
    return this.#end((process) => process.kill('SIGKILL'));
  }

  /** Has it close its store, and end. */
  close(): Promise<void> {
    return this.#end((process) => process.send('close'));
  }

  async #end(how: (process: ChildProcess) => unknown): Promise<void> {
    const ending = this.#process;
    if (!ending) return;
    this.#process = undefined;
    how(ending);
    await once(ending, 'exit');
  }
}
