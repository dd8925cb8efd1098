import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pin, twoCores } from './cores.js';

/** Runs in the program, before it: it answers how much of the processor the program has had. */
const REPORTER = `process.on('message', () => process.send(process.cpuUsage())); process.channel.unref();`;

/** A program that runs as its users run it, and whose processor time is known. */
export class MeasuredProgram {
  readonly #process: ChildProcess;
  #output = '';

  /** @param args - for Node.js: a file, or `-e` and a program */
  constructor(args: readonly string[]) {
    this.#process = spawn(process.execPath, ['--import', `data:text/javascript,${REPORTER}`, ...args], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
  }

  /**
   * Resolves with the first line of its output that `find` knows. From then on it stays on the core for servers, where there are
   * two cores.
   *
   * @param find - returns undefined for another line
   */
  async line<T>(find: (line: string) => T | undefined): Promise<T> {
    for (;;) {
      for (const line of this.#output.split('\n').slice(0, -1)) {
        const found = find(line);
        if (found !== undefined) {
          await this.#bind();
          return found;
        }
      }
      if (this.#process.exitCode !== null) throw new Error(`the program has ended: ${this.#output}`);
      await Promise.race([
        once(this.#process.stdout as NonNullable<ChildProcess['stdout']>, 'data'),
        once(this.#process, 'close'),
      ]);
    }
  }

  async #bind(): Promise<void> {
    const cores = await twoCores();
    if (cores) await pin(this.#process.pid as number, cores.server);
  }

  /** Milliseconds of the processor that all its threads have had. */
  async processorMs(): Promise<number> {
    this.#process.send('processor time');
    const [{ user, system }] = (await once(this.#process, 'message')) as [NodeJS.CpuUsage];
    return (user + system) / 1000;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}
