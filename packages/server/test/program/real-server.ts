import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@sluice/test-kit/until';
import { build } from 'esbuild';
import type { Ports } from '../../src/program/running-server.js';

const ROOT = join(__dirname, '../../../..');

/** What is installed beside the program: packages, and whole scopes of them. */
const INSTALLED = '@grpc @sluice @valibot commander ioredis libsql pg pino prom-client valibot yaml'.split(' ');

/** What a process left behind. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** A process of the program. */
export class ServerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  out = '';
  err = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on('data', (chunk) => {
      this.out += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      this.err += chunk;
    });
    this.ended = once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal }));
  }

  /** The lines of the log so far. */
  get log(): readonly LogLine[] {
    return this.out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** Resolves with the first line of the log that has this message. */
  async logged(msg: string): Promise<LogLine> {
    const isOver = (): boolean => this.child.exitCode !== null || this.child.signalCode !== null;
    await until(() => isOver() || this.log.some((line) => line.msg === msg), 10);
    const line = this.log.find((line) => line.msg === msg);
    if (!line) throw new Error(`The program has ended without the line ${msg}: ${this.out}${this.err}`);
    return line;
  }

  /** Resolves with the ports when they listen. */
  async ready(): Promise<Ports> {
    return (await this.logged('ready')).ports as Ports;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }
}

/** The program as users run it, made from source as one script: the tests need no build. */
export class RealServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-server-test-'));
  readonly #running = new Set<ServerProcess>();

  static async build(): Promise<RealServer> {
    const server = new RealServer();
    mkdirSync(join(server.folder, 'node_modules'));
    for (const name of INSTALLED)
      symlinkSync(join(ROOT, 'node_modules', name), join(server.folder, 'node_modules', name));
    await build({
      entryPoints: [join(__dirname, '../../src/main.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['@sluice/source'],
      external: INSTALLED.filter((name) => name !== '@sluice').map((name) =>
        name.startsWith('@') ? `${name}/*` : name,
      ),
      splitting: true,
      outdir: server.folder,
      outExtension: { '.js': '.mjs' },
      // Dependencies that are in the bundle may be CommonJS.
      banner: {
        js: "import { createRequire as requireAt } from 'node:module'; const require = requireAt(import.meta.url);",
      },
      logLevel: 'error',
    });
    return server;
  }

  /** Writes a file into the folder of the program, and returns its path. */
  write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** Has the program run without a package. */
  uninstall(name: string): void {
    rmSync(join(this.folder, 'node_modules', name));
  }

  /** Starts the program in its folder. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ServerProcess {
    const child = spawn(process.execPath, [join(this.folder, 'main.mjs'), ...args], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, TMPDIR: this.folder, ...env },
    });
    const started = new ServerProcess(child);
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    return started;
  }

  /** Starts the program on free ports. */
  serve(file: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): ServerProcess {
    return this.start([file, '--port', '0', '--grpc-port', '0', '--admin-port', '0', ...args], env);
  }

  /** Ends what still runs, and removes the folder. */
  async remove(): Promise<void> {
    const running = [...this.#running];
    for (const each of running) each.signal('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
