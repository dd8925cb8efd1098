import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pin } from './cores.js';

/** A Redis of the bench's own, on a free port, which keeps nothing on disk. */
export class RedisServer {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(port: number, process: ChildProcess, folder: string) {
    this.port = port;
    this.#process = process;
    this.#folder = folder;
  }

  /** @param core - the only one that it may use */
  static async start(core?: number): Promise<RedisServer> {
    const program = redisProgram();
    if (program === undefined) {
      const isOff = process.env.SLUICE_TEST_REDIS === 'off';
      throw new Error(isOff ? OFF : 'There is no redis-server or valkey-server on the PATH');
    }
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
    const options = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]);
    const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    await started(server);
    if (core !== undefined) await pin(server.pid as number, core);
    return new RedisServer(port, server, folder);
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode === null && signalCode === null) {
      this.#process.kill('SIGKILL');
      await once(this.#process, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const OFF =
  'This needs a Redis, and SLUICE_TEST_REDIS is off: set it to the path of a redis-server or valkey-server, or unset it.';

/** The path of a server program: of what `SLUICE_TEST_REDIS` names, else of one on the PATH. None if it is `off`. */
export function redisProgram(): string | undefined {
  const wanted = process.env.SLUICE_TEST_REDIS;
  if (wanted) return wanted === 'off' ? undefined : resolve(wanted);
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Resolves when it says that it is ready. */
async function started(process: ChildProcess): Promise<void> {
  let said = '';
  for await (const text of on(process.stdout as Readable, 'data', { close: ['end'] })) {
    said += text;
    if (said.includes('Ready to accept connections')) return;
  }
  throw new Error(`Redis did not start: ${said}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
