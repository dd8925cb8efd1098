import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allOrNone } from '../all-or-none.js';
import { freePort } from '../free-port.js';
import type { MovableClock } from './movable-clock.js';
import { isInContainer, type RedisProcess, startRedis } from './redis-process.js';
import { redisProgram } from './redis-program.js';

// A suite without a Redis fails once and as a whole, not with every test.
redisProgram();

/** How often a server is started that fails at once, each time on another port. */
const TRIES = 3;

/** A server of the tests' own, on a port of its own, keeping nothing unless told to. */
export class RedisServer {
  readonly port: number;
  readonly #options: readonly string[];
  readonly #clock: MovableClock | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'));
  #process: RedisProcess | undefined;

  private constructor(port: number, options: readonly string[], clock: MovableClock | undefined) {
    this.port = port;
    this.#options = options;
    this.#clock = clock;
  }

  /** Where a client of this machine reaches it with the least work for the processor: where it can be, past the network. */
  get nearest(): { readonly path: string } | { readonly port: number } {
    return isInContainer() ? { port: this.port } : { path: this.#socket };
  }

  get #socket(): string {
    return join(this.#folder, 'socket');
  }

  /** @param clock - what it takes for the time of day; by default the machine's. */
  static async start(options: readonly string[] = [], clock?: MovableClock): Promise<RedisServer> {
    for (let tries = 1; ; tries += 1) {
      const server = new RedisServer(await freePort(), options, clock);
      try {
        await server.run();
        return server;
      } catch (error) {
        await server.stop();
        if (tries === TRIES) throw error;
      }
    }
  }

  /** Starts so many. If one of them fails, the others are stopped. */
  static startAll(count: number): Promise<RedisServer[]> {
    return allOrNone(
      Array.from({ length: count }, () => RedisServer.start()),
      (server) => server.stop(),
    );
  }

  /** Starts it on its port; also again, after `kill`. Resolves when it can be asked. */
  async run(): Promise<void> {
    const log = join(this.#folder, 'log');
    rmSync(log, { force: true });
    const own = [
      '--port',
      `${this.port}`,
      '--bind',
      '127.0.0.1',
      '--unixsocket',
      this.#socket,
      '--dir',
      this.#folder,
      '--save',
      '',
      '--appendonly',
      'no',
      '--logfile',
      log,
    ];
    this.#process = startRedis([...own, ...this.#options], this.#folder, this.#clock?.env);
    await ready(this.#process, log);
  }

  async freeze(): Promise<void> {
    await this.#process?.signal('SIGSTOP');
  }

  async thaw(): Promise<void> {
    await this.#process?.signal('SIGCONT');
  }

  /** Ends it at once, losing what it held. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    await running?.signal('SIGKILL');
    await running?.ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Resolves when a server says so in its log. A connection could be to another server that has taken the port. */
async function ready(server: RedisProcess, log: string, timeoutMs = 90_000): Promise<void> {
  const text = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  const endMs = performance.now() + timeoutMs;
  let hasEnded = false;
  server.ended.then(() => {
    hasEnded = true;
  });
  while (!text().includes('Ready to accept connections')) {
    const isLate = performance.now() > endMs;
    if (hasEnded || isLate) throw new Error(`A server ${isLate ? 'is not ready' : 'has ended'}: ${text()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Resolves when something accepts connections on a port. */
export async function listening(port: number, timeoutMs = 90_000): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(
        () => false,
        () => false,
      ),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    if (performance.now() > endMs) throw new Error(`Nothing listens on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
