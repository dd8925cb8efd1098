import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process that keeps the counters, and can be frozen, killed and started again. */
export class PrimaryProcess {
  readonly #program: string;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;

  constructor(program: string, ...args: [channel: string, snapshot?: string]) {
    this.#program = program;
    this.#args = args as readonly string[];
  }

  /** Resolves when it answers. */
  async run(): Promise<void> {
    this.#process = fork(this.#program, this.#args, { execArgv: [] });
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

  /** Has it end by itself, without closing its store. */
  exit(): Promise<void> {
    return this.#end((process) => process.send('exit'));
  }

  async #end(how: (process: ChildProcess) => unknown): Promise<void> {
    const ending = this.#process;
    if (!ending) return;
    this.#process = undefined;
    how(ending);
    await once(ending, 'exit');
  }
}
