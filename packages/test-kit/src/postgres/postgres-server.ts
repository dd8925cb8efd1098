import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool, type PoolConfig } from 'pg';
import { freePort } from '../free-port.js';
import { postgresFolder } from './postgres-program.js';
import { keepTemplate, keptTemplate } from './postgres-template.js';

// A suite without PostgreSQL fails once and as a whole, not with every test.
const PROGRAMS = postgresFolder();

const TIMEOUT_MS = 90_000;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: '200',
  log_min_messages: 'log',
} as const;

/** PostgreSQL refuses to run as root. So root starts it as a user who owns nothing else. */
interface User {
  readonly uid?: number;
  readonly gid?: number;
}

function serverUser(): User {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const idOf = (flag: string): number =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: idOf('-u'), gid: idOf('-g') };
    } catch {
      // The next one is tried.
    }
  }
  throw new Error('The tests run as root and find no user for PostgreSQL. This makes one: useradd --system postgres');
}

/** A server of the tests' own, on a port of its own, with its data in a temporary folder. */
export class PostgresServer {
  port = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'));
  readonly #user = serverUser();
  #process: ChildProcess | undefined;
  readonly #pools: Pool[] = [];
  readonly #settings: Readonly<Record<string, string>>;

  private constructor(settings: Readonly<Record<string, string>>) {
    this.#settings = settings;
  }

  /** @param settings - of the server, beside those of all tests or in their place */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const server = new PostgresServer(settings);
    try {
      server.#initialize();
      server.port = await freePort();
      await server.run();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  get #log(): string {
    return join(this.#folder, 'log');
  }

  #initialize(): void {
    const { uid, gid } = this.#user;
    if (uid !== undefined && gid !== undefined) chownSync(this.#folder, uid, gid);
    const template = keptTemplate();
    if (template !== undefined) {
      this.#execute('cp', ['-R', template, this.#data]);
      return;
    }
    const options = ['--username=sluice', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
    this.#execute(join(PROGRAMS, 'initdb'), ['--pgdata', this.#data, ...options]);
    keepTemplate(() => {
      const copy = join(this.#folder, 'template');
      this.#execute('cp', ['-R', this.#data, copy]);
      return copy;
    });
  }

  #execute(program: string, args: readonly string[]): void {
    execFileSync(program, args, { ...this.#user, cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] });
  }

  /** Starts it on its port; also again, after `kill`. Resolves when it can be asked. */
  async run(): Promise<void> {
    rmSync(this.#log, { force: true });
    const log = openSync(this.#log, 'a');
    const stdio: StdioOptions = ['ignore', log, log];
    const settings = { ...SETTINGS, ...this.#settings, port: `${this.port}`, unix_socket_directories: this.#folder };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#process = spawn(join(PROGRAMS, 'postgres'), ['-D', this.#data, ...args], {
      ...this.#user,
      cwd: this.#folder,
      stdio,
    });
    await this.#ready(this.#process);
  }

  /** Connections to it, which are ended before it is stopped. */
  pool(config: PoolConfig = {}): Pool {
    const pool = new Pool({ ...this.connection, ...config });
    // The errors of a fault are no failures of the tests.
    pool.on('error', () => {});
    this.#pools.push(pool);
    return pool;
  }

  /** By a socket of the file system, which costs the processor less than one of the network. */
  get connection(): PoolConfig {
    return { host: this.#folder, port: this.port, user: 'sluice', database: 'postgres' };
  }

  /** Stops the server and each of its processes where they are. */
  freeze(): void {
    this.#signalAll('SIGSTOP');
  }

  thaw(): void {
    this.#signalAll('SIGCONT');
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, 'exit');
    server.kill('SIGCONT');
    server.kill('SIGQUIT');
    await exit;
  }

  async stop(): Promise<void> {
    if (this.#process) this.thaw();
    await Promise.all(this.#pools.map((pool) => pool.end().catch(() => {})));
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #signalAll(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    // The parent is first, so that it starts no process meanwhile.
    for (const one of [pid, ...childrenOf(pid)]) {
      try {
        process.kill(one, signal);
      } catch {
        // It has just ended.
      }
    }
  }

  async #ready(server: ChildProcess): Promise<void> {
    const endMs = performance.now() + TIMEOUT_MS;
    const text = (): string => (existsSync(this.#log) ? readFileSync(this.#log, 'utf8') : '');
    while (!text().includes('database system is ready to accept connections')) {
      const isLate = performance.now() > endMs;
      if (isLate || server.exitCode !== null)
        throw new Error(`PostgreSQL ${isLate ? 'is not ready' : 'has ended'}: ${text()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(list)
    ? readFileSync(list, 'utf8')
    : execFileSync('pgrep', ['-P', `${pid}`], { encoding: 'utf8' });
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}
