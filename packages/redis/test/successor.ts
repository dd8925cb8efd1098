import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@sluice/test-kit/free-port';
import { type RedisProcess, startRedis } from '@sluice/test-kit/redis/redis-process';
import { listening, RedisServer } from '@sluice/test-kit/redis/redis-server';
import { until } from '@sluice/test-kit/until';
import { Redis } from 'ioredis';

/** What Sentinel calls the server that is in charge. */
const NAME = 'main';

/** So that a busy machine never makes Sentinel take a server for dead before it is. */
const PATIENT_MS = 60_000;

const IMPATIENT_MS = 500;

/** A replica of a server, and the Sentinel that promotes it when that server is gone. */
export class Successor {
  readonly replica: RedisServer;
  readonly #atReplica: Redis;
  readonly #sentinel: RedisProcess;
  readonly #sentinelPort: number;
  readonly #folder: string;

  private constructor(replica: RedisServer, atReplica: Redis, sentinelPort: number, folder: string) {
    this.replica = replica;
    this.#atReplica = atReplica;
    this.#sentinelPort = sentinelPort;
    this.#folder = folder;
    this.#sentinel = startRedis([join(folder, 'sentinel.conf'), '--sentinel'], folder);
  }

  /** Resolves when the replica has all that the server holds, and Sentinel knows both. */
  static async of(server: RedisServer): Promise<Successor> {
    const master = new Redis(server.port);
    await master.config('SET', 'repl-diskless-sync-delay', '0');
    master.disconnect();
    const replica = await RedisServer.start(['--replicaof', `127.0.0.1 ${server.port}`]);
    const atReplica = new Redis(replica.port);
    await until(async () => String(await atReplica.call('ROLE')).includes('connected'), 10);
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'sluice-sentinel-'));
    writeFileSync(join(folder, 'sentinel.conf'), configuration(port, folder, server.port));
    const successor = new Successor(replica, atReplica, port, folder);
    await listening(port);
    await successor.#askSentinel((sentinel) =>
      until(
        async () => String(await sentinel.call('SENTINEL', ['REPLICAS', NAME])).includes('master-link-status,ok'),
        10,
      ),
    );
    return successor;
  }

  /** Where clients ask which server is in charge, and by which name. */
  get sentinel(): { readonly name: string; readonly host: string; readonly port: number } {
    return { name: NAME, host: '127.0.0.1', port: this.#sentinelPort };
  }

  /** From here on nothing that is written reaches the replica. */
  async fallBehind(): Promise<void> {
    await this.#atReplica.replicaof('127.0.0.1', await freePort());
  }

  /** Has Sentinel notice soon that the server is gone; resolves when the replica is in charge and Sentinel says so. */
  async promoted(): Promise<void> {
    await this.#askSentinel(async (sentinel) => {
      await sentinel.call('SENTINEL', ['SET', NAME, 'down-after-milliseconds', IMPATIENT_MS]);
      const promoted = `127.0.0.1,${this.replica.port}`;
      await until(
        async () => String(await sentinel.call('SENTINEL', ['GET-MASTER-ADDR-BY-NAME', NAME])) === promoted,
        10,
      );
    });
    await until(async () => String(await this.#atReplica.call('ROLE')).startsWith('master'), 10);
  }

  async stop(): Promise<void> {
    this.#atReplica.disconnect();
    await this.#sentinel.signal('SIGKILL');
    await this.#sentinel.ended;
    rmSync(this.#folder, { recursive: true, force: true });
    await this.replica.stop();
  }

  async #askSentinel(work: (sentinel: Redis) => Promise<void>): Promise<void> {
    const sentinel = new Redis(this.#sentinelPort);
    try {
      await work(sentinel);
    } finally {
      sentinel.disconnect();
    }
  }
}

function configuration(port: number, folder: string, masterPort: number): string {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} 1`,
    `sentinel down-after-milliseconds ${NAME} ${PATIENT_MS}`,
    `sentinel failover-timeout ${NAME} 3000`,
    '',
  ].join('\n');
}
