import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessName } from './modes.js';

/**
 * Runs in the program, before it: it answers what the program has. It ends with the soak, and keeps no program running. Buffers lie beside
 * the heap. Node lists only timers that keep a program running, and most of ours do not, so that all objects of timers are counted.
 */
const REPORTER = `
import { queryObjects } from 'node:v8';
const timer = setTimeout(() => {});
clearTimeout(timer);
const Timeout = timer.constructor;
process.on('message', () => {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout' && kind !== 'Immediate').length;
  const timers = queryObjects(Timeout, { format: 'count' });
  const cpu = process.cpuUsage();
  process.send({ heapMb: (heapUsed + external) / 2 ** 20, timers, handles, cpuMs: (cpu.user + cpu.system) / 1000 });
});
process.on('disconnect', () => process.exit());
process.channel.unref();
`;

/** What a program has. */
export interface Usage {
  /** With what lies beside the heap, such as buffers; after a collection of garbage. */
  readonly heapMb: number;
  /** Also those that keep no program running. */
  readonly timers: number;
  readonly handles: number;
  /** Of the processor, since its start. */
  readonly cpuMs: number;
}

/** So much of what a program wrote is shown when it has ended. */
const TAIL = 4000;

/** A program that does not say what it has by then does nothing any more. */
const HUNG_MS = 60_000;

/** A program that serves, and says what it has. */
export class WatchedProcess {
  readonly name: ProcessName;
  readonly #child: ChildProcess;
  #port = 0;
  #output = '';
  /** Why it has ended, if it was not ended by the soak. */
  failure: string | undefined;
  #isStopped = false;

  private constructor(name: ProcessName, child: ChildProcess) {
    this.name = name;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-TAIL);
      });
    child.on('exit', (code, signal) => {
      if (!this.#isStopped) this.failure = `${name} has ended by itself (${code ?? signal}): ${this.#output}`;
    });
  }

  /**
   * Resolves when it listens, as a line of its log says.
   *
   * @param program - a file, and its arguments
   * @throws Error if it ends before
   */
  static async start(
    name: ProcessName,
    program: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<WatchedProcess> {
    const flags = ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(REPORTER)}`];
    const child = spawn(process.execPath, [...flags, ...program], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...env },
    });
    const started = new WatchedProcess(name, child);
    while (started.#port === 0) {
      await Promise.race([once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data'), once(child, 'exit')]);
      if (started.failure !== undefined) throw new Error(started.failure);
      started.#port = Number(/"ports":\{"traffic":(\d+)/.exec(started.#output)?.[1] ?? 0);
    }
    return started;
  }

  get port(): number {
    return this.#port;
  }

  /** @throws Error if it does not answer */
  async usage(hungMs = HUNG_MS): Promise<Usage> {
    const answer = once(this.#child, 'message', { signal: AbortSignal.timeout(hungMs) });
    this.#child.send('usage');
    try {
      const [usage] = await answer;
      return usage;
    } catch (error) {
      throw new Error(`${this.name} does not say what it has: ${this.#output}`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
