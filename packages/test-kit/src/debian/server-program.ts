import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../free-port.js';
import { type DebianProgram, debianProgram } from './debian-program.js';

/** How often a server is started that fails at once, each time on another port. */
const TRIES = 3;

/** Long enough for a slow machine. */
const READY_MS = 90_000;

/** Afterwards a server that was asked to end is killed. */
const STOP_MS = 10_000;

/** What a server has for itself. */
export interface OwnPlace {
  /** A free port of the loopback interface. */
  readonly port: number;
  /** A temporary folder, which is removed with the server. */
  readonly folder: string;
}

/** How to start a server. */
export interface ServerOptions {
  readonly program: DebianProgram;
  readonly args: (own: OwnPlace) => readonly string[];
  /** Files to write into its folder before it starts, by their names. */
  readonly files?: (own: OwnPlace) => Readonly<Record<string, string>>;
  /**
   * The path of a page that answers with a status below 400 when the server is ready. Null: it is ready when it accepts
   * connections. Default: `/`.
   */
  readonly readyPath?: string | null;
  /** How many files and connections it may have open. Default: as many as this process. */
  readonly mostFiles?: number | undefined;
  /** Further variables of its environment. `own` has the temporary folder. */
  readonly env?: (own: OwnPlace) => Readonly<Record<string, string>>;
}

/**
 * A server of the tests' own, on a port and in a folder of its own.
 *
 * @example
 * const server = await ServerProgram.start({
 *   program: 'nginx',
 *   args: ({ folder }) => ['-p', folder, '-c', 'nginx.conf', '-g', 'daemon off;'],
 *   files: ({ port }) => ({ 'nginx.conf': `… listen 127.0.0.1:${port}; …` }),
 * });
 */
export class ServerProgram {
  readonly port: number;
  readonly folder: string;
  readonly #options: ServerOptions;
  readonly #log: string;
  #process: ChildProcess;

  private constructor(options: ServerOptions, own: OwnPlace) {
    this.port = own.port;
    this.folder = own.folder;
    this.#options = options;
    this.#log = join(own.folder, 'log');
    for (const [name, text] of Object.entries(options.files?.(own) ?? {})) writeFileSync(join(own.folder, name), text);
    this.#process = this.#run();
  }

  #run(): ChildProcess {
    const { program, args, mostFiles, env } = this.#options;
    const own = { port: this.port, folder: this.folder };
    const log = openSync(this.#log, 'a');
    const command = [debianProgram(program), ...args(own)];
    if (mostFiles !== undefined) command.unshift('sh', '-c', `ulimit -n ${mostFiles}; exec "$0" "$@"`);
    const [file = '', ...words] = command;
    return spawn(file, words, {
      cwd: own.folder,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...env?.(own) },
    });
  }

  /** Starts it, and resolves when it is ready. */
  static async start(options: ServerOptions): Promise<ServerProgram> {
    for (let tries = 1; ; tries += 1) {
      const folder = mkdtempSync(join(tmpdir(), `sluice-${options.program}-`));
      const server = new ServerProgram(options, { port: await freePort(), folder });
      try {
        await server.#ready();
        return server;
      } catch (error) {
        await server.stop();
        if (tries === TRIES) throw error;
      }
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What it has written so far to its standard output and its standard error. */
  get log(): string {
    return readFileSync(this.#log, 'utf8');
  }

  /** Reaches the server itself, and does nothing when it has ended. */
  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Ends it at once, as a crash does. What it has written to its folder stays. */
  async kill(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#process, 'exit');
    this.signal('SIGKILL');
    await ended;
  }

  /** Starts it again after `kill`, on its port and with its folder. Resolves when it is ready. */
  async restart(): Promise<void> {
    this.#process = this.#run();
    await this.#ready();
  }

  async stop(): Promise<void> {
    if (!this.#hasEnded) {
      const ended = once(this.#process, 'exit');
      // A frozen server ends, too.
      this.signal('SIGCONT');
      this.signal('SIGTERM');
      const timer = setTimeout(() => this.signal('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #hasEnded(): boolean {
    const { exitCode, signalCode, pid } = this.#process;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  async #ready(): Promise<void> {
    const path = this.#options.readyPath === undefined ? '/' : this.#options.readyPath;
    const endMs = performance.now() + READY_MS;
    while (!(await (path === null ? this.#accepts() : this.#answers(path)))) {
      const isLate = performance.now() > endMs;
      if (isLate || this.#hasEnded) throw new Error(`A server ${isLate ? 'is not ready' : 'has ended'}: ${this.log}`);
      await pause(20);
    }
  }

  async #accepts(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  async #answers(path: string): Promise<boolean> {
    try {
      const { status } = await fetch(`${this.url}${path}`);
      return status < 400;
    } catch {
      return false;
    }
  }
}
