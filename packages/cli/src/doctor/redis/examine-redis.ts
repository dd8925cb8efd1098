import { randomUUID } from 'node:crypto';
import { systemClock } from '@sluice/core';
import type { Cluster, Redis } from 'ioredis';
import type { Examination } from '../diagnosis.js';
import { optionalPackage } from '../optional-package.js';
import { reasonText, remedyFor } from '../reason.js';
import { compareClocks } from '../server-time.js';
import type { ServerUrl } from '../store-url.js';
import { tryStore } from '../trial.js';
import { RedisConnection, RedisInfo } from './redis-connection.js';
import { tryRights } from './redis-rights.js';
import {
  checkCluster,
  checkMemory,
  checkPersistence,
  checkReplicas,
  checkRole,
  checkVersion,
} from './redis-settings.js';

/** What has to be installed to ask a Redis. */
const INSTALL = 'ioredis ./sluice-redis-*.tgz';

/** The default `timeout` of a `RedisStore`. */
const DEADLINE_MS = 50;

/** Examines a Redis, or a node of a Redis Cluster. */
export async function examineRedis(address: ServerUrl, examination: Examination): Promise<void> {
  const { Redis } = await optionalPackage(import('ioredis'), INSTALL);
  await optionalPackage(import('@sluice/redis'), INSTALL);
  const client = new Redis(address.text, { ...optionsFor(examination), lazyConnect: true });
  try {
    if (await isReachable(client, address, examination)) await examine(client, address, examination);
  } finally {
    client.disconnect();
  }
}

/** Nothing is tried twice, and no answer is waited for without an end. */
function optionsFor({ timeoutMs }: Examination) {
  return {
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    retryStrategy: () => null,
    enableReadyCheck: false,
  };
}

async function isReachable(
  client: Redis,
  { shown, hide }: ServerUrl,
  { diagnosis, timeoutMs }: Examination,
): Promise<boolean> {
  let reported: unknown;
  client.on('error', (error) => {
    reported ??= error;
  });
  try {
    await within(timeoutMs, connect(client));
    diagnosis.ok('reachable', `Redis answers at ${shown}.`);
    return true;
  } catch (error) {
    const reason = hide(reasonText(reported ?? error));
    diagnosis.fail('reachable', `Redis cannot be asked at ${shown}: ${reason}.`, remedyFor(reason));
    return false;
  }
}

/** Waits for `work`, and throws if it takes longer. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const budget = systemClock.sleep(timeoutMs, over.signal).then(() => {
    throw new Error(`there was no answer within ${timeoutMs} ms`);
  });
  try {
    return await Promise.race([work, budget]);
  } finally {
    over.abort();
    budget.catch(() => {});
  }
}

async function connect(client: Redis): Promise<void> {
  await client.connect();
  const refusal = await new RedisConnection(client).refusal('PING');
  // Whoever may not ping may still decide.
  if (refusal !== undefined && !refusal.startsWith('NOPERM')) throw new Error(refusal);
}

async function examine(client: Redis, address: ServerUrl, examination: Examination): Promise<void> {
  const { diagnosis } = examination;
  const redis = new RedisConnection(client);
  const text = await redis.text('INFO');
  const info = new RedisInfo(text ?? '');
  const server = { diagnosis, redis, info };
  if (text === undefined)
    diagnosis.warn(
      'version',
      'The user may not call INFO: version, role, memory and replicas are unknown.',
      'Run doctor once as a user that may.',
    );
  const canWrite = text === undefined || (checkVersion(server) && checkRole(server));
  if (!canWrite) return;
  const isCluster = info.get('cluster_enabled') === '1';
  const isServed = !isCluster || (await checkCluster(server, address.url.host));
  const prefix = `${examination.prefix}doctor:${randomUUID().slice(0, 8)}:`;
  const user = decodeURIComponent(address.url.username) || 'default';
  const key = `${prefix}rights`;
  const mayDecide = await tryRights({ diagnosis, redis, user, prefix: examination.prefix, key });
  if (text !== undefined) {
    checkMemory(server);
    await checkPersistence(server);
    await checkReplicas(server);
  }
  if (!mayDecide) return;
  await compareClocks(diagnosis, async () => timeIn(await redis.ask('TIME')));
  if (isServed) await decide(client, isCluster, prefix, address, examination);
}

/** Decides over the client that an application would have. */
async function decide(
  client: Redis,
  isCluster: boolean,
  prefix: string,
  address: ServerUrl,
  examination: Examination,
): Promise<void> {
  const { RedisStore } = await import('@sluice/redis');
  const own = isCluster ? await clusterOf(address, examination) : client;
  const store = new RedisStore({ client: own, prefix });
  try {
    await tryStore({
      diagnosis: examination.diagnosis,
      store,
      policy: 'doctor',
      place: `under ${prefix}`,
      deadlineMs: DEADLINE_MS,
      bare: { name: 'a PING', ask: () => new RedisConnection(client).refusal('PING') },
    });
  } finally {
    await store.close();
    if (own !== client) own.disconnect();
  }
}

async function clusterOf({ url }: ServerUrl, examination: Examination): Promise<Cluster> {
  const { Cluster } = await import('ioredis');
  const { protocol, hostname, port, username, password } = url;
  const cluster = new Cluster([{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }], {
    clusterRetryStrategy: () => null,
    slotsRefreshTimeout: examination.timeoutMs,
    redisOptions: {
      ...optionsFor(examination),
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
  cluster.on('error', () => {});
  return cluster;
}

/** The answer to `TIME` has seconds and microseconds. */
function timeIn(answer: unknown): number {
  const [seconds, microseconds] = answer as readonly [string, string];
  return Number(seconds) * 1000 + Number(microseconds) / 1000;
}
