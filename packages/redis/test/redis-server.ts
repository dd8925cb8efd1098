import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MovableClock } from './movable-clock.js';
import { type RedisProcess, startRedis } from './redis-process.js';
import { redisProgram } from './redis-program.js';

// A suite without a Redis fails once and as a whole, not with every test.
redisProgram();

/** A port of the loopback interface that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

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

  /** @param clock - what it takes for the time of day; by default the machine's. */
  static async start(options: readonly string[] = [], clock?: MovableClock): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options, clock);
    await server.run();
    return server;
  }

  /** Starts it on its port; also again, after `kill`. */
  async run(): Promise<void> {
    const own = [
      '--port',
      `${this.port}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      this.#folder,
      '--save',
      '',
      '--appendonly',
      'no',
    ];
    this.#process = startRedis([...own, ...this.#options], this.#folder, this.#clock?.env);
    await listening(this.port);
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

/** Resolves when something accepts connections on a port. */
export async function listening(port: number, patienceMs = 10_000): Promise<void> {
  const endMs = performance.now() + patienceMs;
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
