import type { AddressInfo } from 'node:net';
import { fromFile, policies } from '@sluice/config';
import { MemoryStore, type Store } from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { byHeader, rateLimit } from '@sluice/express';
import fastifyRateLimit from '@sluice/fastify';
import { RedisStore } from '@sluice/redis';
import express from 'express';
import fastify from 'fastify';
import { Redis } from 'ioredis';
import { MODES, type Mode, type ModeName } from './modes.js';

// A server of one framework with a route for each mode: node app.mjs FRAMEWORK POLICY_FILE REDIS_PORT REDIS_PORT

const [framework, policyPath, ...ports] = process.argv.slice(2) as [string, string, ...string[]];

const clients = ports.map((port) => {
  const client = new Redis({
    host: '127.0.0.1',
    port: Number(port),
    retryStrategy: () => 50,
    connectTimeout: 400,
    socketTimeout: 400,
  });
  // A server that is away is what the soak is for.
  client.on('error', () => {});
  return client;
});

const names = Object.keys(MODES) as ModeName[];
const own = names.filter((name) => (MODES[name] as Mode).processes.some((process) => process === framework));

/** A store for each mode, so that no mode changes what another one knows. */
function storeOf(name: ModeName): Store {
  const { servers, synced, processes } = MODES[name] as Mode;
  const [first, second] = clients.map(
    (client) => new RedisStore({ client, instances: processes.length, prefix: `${name}:` }),
  );
  if (servers === 0 || !first || !second) return new MemoryStore();
  if (servers === 2) return new ShardedStore({ nodes: { first, second } });
  if (synced) return new SyncedStore({ store: first, ...synced });
  return name.startsWith('leased') ? new LeasedStore({ store: first }) : first;
}

/** The options of a mode's policy, for any adapter. */
function optionsOf(name: ModeName) {
  const { limit, onStoreError } = MODES[name] as Mode;
  return { name, limits: [limit], store: storeOf(name), onStoreError, keyGenerator: byHeader('x-api-key') };
}

const isLive = (name: ModeName): boolean => (MODES[name] as Mode).reloads === true;

async function serve(): Promise<number> {
  const live = await policies({ source: fromFile(policyPath), store: storeOf('live') });
  if (framework === 'express') {
    const app = express();
    for (const name of own) {
      app.get(`/${name}`, rateLimit(isLive(name) ? live.policy(name) : optionsOf(name)), (_req, res) => {
        res.send('done');
      });
    }
    return new Promise((resolve) => {
      const server = app.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  }
  const app = fastify();
  for (const name of own) {
    await app.register(async (scope) => {
      await scope.register(fastifyRateLimit, isLive(name) ? live.policy(name) : optionsOf(name));
      scope.get(`/${name}`, async () => 'done');
    });
  }
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

serve().then((port) => console.log(JSON.stringify({ msg: 'ready', ports: { traffic: port } })));
