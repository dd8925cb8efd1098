import { join } from 'node:path';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { WatchedProcess } from './watched-process.js';

/** Two Redis servers, and the programs that count in them. */
export class Programs {
  #servers: readonly RedisServer[] = [];
  #processes: readonly WatchedProcess[] = [];

  get servers(): readonly RedisServer[] {
    return this.#servers;
  }

  get processes(): readonly WatchedProcess[] {
    return this.#processes;
  }

  /**
   * Starts all of them. Call `stop` also if this fails: some may run.
   *
   * @param folder - where the files of the programs are
   */
  async start(folder: string, policyPath: string): Promise<void> {
    this.#servers = await RedisServer.startAll(2);
    const ports = this.#servers.map(({ port }) => `${port}`);
    const started = await Promise.allSettled([
      startApp('express', folder, policyPath, ports),
      startApp('fastify', folder, policyPath, ports),
      startService(folder, policyPath, ports[0] as string),
    ]);
    this.#processes = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const each of started) if (each.status === 'rejected') throw each.reason;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#processes, ...this.#servers].map((each) => each.stop()));
  }
}

function startApp(
  name: 'express' | 'fastify',
  folder: string,
  policyPath: string,
  redisPorts: readonly string[],
): Promise<WatchedProcess> {
  return WatchedProcess.start(name, [join(folder, 'app.mjs'), name, policyPath, ...redisPorts]);
}

function startService(folder: string, policyPath: string, redisPort: string): Promise<WatchedProcess> {
  const freePorts = ['--port', '0', '--grpc-port', '0', '--admin-port', '0'];
  const store = ['--store', `redis://127.0.0.1:${redisPort}`, '--store-prefix', 'service:'];
  const program = [join(folder, 'service.mjs'), policyPath, ...freePorts, ...store];
  return WatchedProcess.start('service', program, { SLUICE_SECRET: '00112233445566778899aabbccddeeff' });
}
