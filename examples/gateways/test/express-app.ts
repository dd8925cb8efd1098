import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compilePolicy, readPolicyFile } from '@sluice/config';
import { rateLimit } from '@sluice/express';
import { RedisStore } from '@sluice/redis';
import express from 'express';
import { Redis } from 'ioredis';

/** An Express application with the middleware in itself, by the same policy file and over the same Redis. */
export class ExpressApp {
  readonly #server: Server;
  readonly #redis: Redis;

  private constructor(policies: string, redis: number, timeoutMs: number) {
    const { file } = readPolicyFile(policies);
    if (!file) throw new Error('The policy file of the test is wrong');
    this.#redis = new Redis(redis);
    // Without a server it tells so on and on.
    this.#redis.on('error', () => {});
    const app = express();
    app.use(
      rateLimit(compilePolicy(file, 'api', { store: new RedisStore({ client: this.#redis, timeout: timeoutMs }) })),
    );
    app.use((_request, response) => void response.send('hello'));
    this.#server = app.listen(0, '127.0.0.1');
  }

  static async start(policies: string, redis: number, timeoutMs: number): Promise<ExpressApp> {
    const app = new ExpressApp(policies, redis, timeoutMs);
    await once(app.#server, 'listening');
    return app;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#redis.disconnect();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
