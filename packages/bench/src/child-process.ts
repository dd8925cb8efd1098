import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pin } from './cores.js';
import type { Methods, TaskName } from './tasks/index.js';

/** What a child of this checkout runs. */
export const PROGRAM = fileURLToPath(new URL('./child.js', import.meta.url));

/** A question to a child, and its answer. */
export interface Call {
  readonly method: string;
  readonly argument: unknown;
}
export type Return = { readonly value: unknown } | { readonly error: string };

type Answered<Name extends TaskName, Method extends keyof Methods<Name>> = Awaited<
  ReturnType<Extract<Methods<Name>[Method], (...args: never[]) => unknown>>
>;

/** Who has a task, and is asked one thing at a time. */
export interface Worker<Name extends TaskName> {
  ask<Method extends keyof Methods<Name> & string>(method: Method, argument?: unknown): Promise<Answered<Name, Method>>;
  end(): Promise<void>;
}

export interface ChildOptions {
  /** For Node.js: `--expose-gc`. */
  readonly flags?: readonly string[];
  /** That of another checkout, in place of this one's. */
  readonly program?: string;
  /** The only core that it may use from when it has started. */
  readonly core?: number;
}

/** A process of its own, with a heap and compiled code that no other contender has touched. */
export class Child<Name extends TaskName> implements Worker<Name> {
  readonly #process: ChildProcess;
  #lastWords = '';

  private constructor(process: ChildProcess) {
    this.#process = process;
    process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = `${this.#lastWords}${text}`.slice(-4_000);
    });
  }

  static async start<Name extends TaskName>(
    task: Name,
    options: unknown,
    { flags = [], program = PROGRAM, core }: ChildOptions = {},
  ): Promise<Child<Name>> {
    const process = fork(program, [task, JSON.stringify(options)], {
      execArgv: [...flags],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    const child = new Child<Name>(process);
    await child.#next();
    if (core !== undefined) await pin(process.pid as number, core);
    return child;
  }

  async ask<Method extends keyof Methods<Name> & string>(
    method: Method,
    argument?: unknown,
  ): Promise<Answered<Name, Method>> {
    this.#process.send({ method, argument } satisfies Call);
    return (await this.#next()) as Answered<Name, Method>;
  }

  async end(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }

  async #next(): Promise<unknown> {
    const over = new AbortController();
    const { signal } = over;
    try {
      const answer = await Promise.race([
        once(this.#process, 'message', { signal }).then(([message]) => message as Return),
        once(this.#process, 'close', { signal }).then(() => ({ error: this.#reason() })),
      ]);
      if ('error' in answer) throw new Error(answer.error);
      return answer.value;
    } finally {
      over.abort();
    }
  }

  #reason(): string {
    if (this.#lastWords.includes('heap out of memory')) return 'out of memory';
    return `the process ended with ${this.#process.exitCode ?? this.#process.signalCode}: ${this.#lastWords}`;
  }
}
