import type { Diagnosis } from '../diagnosis.js';
import { type RedisConnection, RedisInfo } from './redis-connection.js';

/** From here on, a Redis that evicts nothing is nearly full. */
const NEARLY_FULL = 0.9;

/** The number of slots of any cluster. */
const SLOTS = 16_384;

/** What the checks of a server look at. */
interface Server {
  readonly diagnosis: Diagnosis;
  readonly redis: RedisConnection;
  readonly info: RedisInfo;
}

/** Looks at the version. Returns whether it is new enough. */
export function checkVersion({ diagnosis, info }: Server): boolean {
  const version = info.get('redis_version') ?? '0';
  const valkey = info.get('valkey_version');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > 6 || (major === 6 && minor >= 2);
  if (valkey !== undefined) diagnosis.ok('version', `Valkey ${valkey}.`);
  else if (isNewEnough) diagnosis.ok('version', `Redis ${version}. A store needs 6.2 or later.`);
  else diagnosis.fail('version', `Redis ${version} is too old.`, 'Install Redis 6.2 or later, or any Valkey.');
  return isNewEnough;
}

/** Looks whether the server takes writes. Returns whether it does. */
export function checkRole({ diagnosis, info }: Server): boolean {
  if (info.get('redis_mode') === 'sentinel') {
    diagnosis.fail(
      'role',
      'This is a Sentinel, which keeps no keys.',
      'Write the address of the primary, and give the client of your application the Sentinels.',
    );
    return false;
  }
  if (info.get('role') === 'slave') {
    const primary = `${info.get('master_host')}:${info.get('master_port')}`;
    diagnosis.fail(
      'role',
      'This server is a replica, and refuses writes.',
      `Connect to its primary, ${primary}, or find it through Sentinel.`,
    );
    return false;
  }
  diagnosis.ok('role', 'This server is a primary.');
  return true;
}

/** Looks whether keys can be evicted, and whether there is room. */
export function checkMemory({ diagnosis, info }: Server): void {
  const [used, most] = [info.number('used_memory'), info.number('maxmemory')];
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  const figures = { usedBytes: used, maxmemoryBytes: most };
  if (most === 0) {
    diagnosis.ok('memory', `Nothing is evicted: maxmemory is 0. ${bytesText(used)} are in use.`, figures);
    return;
  }
  const room = `maxmemory-policy is ${policy}, and ${bytesText(used)} of ${bytesText(most)} are in use.`;
  if (policy !== 'noeviction')
    diagnosis.warn(
      'memory',
      `When Redis is full, it evicts keys, which begin again with their full limit: ${room}`,
      'Set maxmemory-policy noeviction, or give the limits a Redis of their own.',
      figures,
    );
  else if (used > NEARLY_FULL * most)
    diagnosis.warn('memory', `Redis is nearly full, and refuses writes then: ${room}`, 'Raise maxmemory.', figures);
  else diagnosis.ok('memory', `Nothing is evicted: ${room}`, figures);
}

/** Looks what a restart forgets. */
export async function checkPersistence({ diagnosis, redis, info }: Server): Promise<void> {
  if (info.get('rdb_last_bgsave_status') === 'err') {
    diagnosis.warn(
      'persistence',
      'The last snapshot could not be written. Redis may refuse writes until one can.',
      'Look into the log of Redis: its disk may be full.',
    );
    return;
  }
  if (info.get('aof_enabled') === '1') {
    const fsync = (await redis.setting('appendfsync')) ?? 'everysec';
    const loss = { always: 'nothing', everysec: 'about a second' }[fsync] ?? 'what the system has not written yet';
    diagnosis.ok('persistence', `A crash loses ${loss}: appendonly is on, with appendfsync ${fsync}.`);
    return;
  }
  const save = await redis.setting('save');
  if (save === undefined)
    diagnosis.warn(
      'persistence',
      'appendonly is off, and this user may not read whether there are snapshots (save).',
      'Run doctor once as a user that may call CONFIG GET, or ask who runs the server.',
    );
  else if (save === '')
    diagnosis.warn(
      'persistence',
      'A restart forgets all that was spent: save and appendonly are off.',
      'Set appendonly yes, if limits have to outlive a restart of Redis.',
    );
  else diagnosis.ok('persistence', `A crash loses what came after the last snapshot: save is "${save}".`);
}

/** Looks what a failover loses. */
export async function checkReplicas({ diagnosis, redis, info }: Server): Promise<void> {
  const replicas = info.number('connected_slaves');
  const setting = await redis.setting('min-replicas-to-write');
  const least = Number(setting ?? 0);
  if (replicas < least)
    diagnosis.fail(
      'replicas',
      `Redis refuses writes: min-replicas-to-write is ${least}, and ${replicas} are connected.`,
      'Start the replicas, or lower min-replicas-to-write.',
    );
  else if (replicas === 0) diagnosis.ok('replicas', 'There are none. While this server is away, onStoreError decides.');
  else if (setting === undefined)
    diagnosis.ok(
      'replicas',
      `Connected: ${replicas}. A failover loses the writes of its last moments. This user may not read min-replicas-to-write.`,
    );
  else if (least === 0)
    diagnosis.warn(
      'replicas',
      `Connected: ${replicas}. A primary that is cut off goes on deciding beside the one that takes its place.`,
      'Set min-replicas-to-write 1 and min-replicas-max-lag 10: then it stops after 10 s.',
    );
  else
    diagnosis.ok(
      'replicas',
      `Connected: ${replicas}, of which ${least} must be. A failover loses the writes of its last moments.`,
    );
}

/** Looks whether all keys of a cluster are served. Returns whether decisions about any key can work. */
export async function checkCluster({ diagnosis, redis }: Server, shown: string): Promise<boolean> {
  const text = await redis.text('CLUSTER', 'INFO');
  if (text === undefined) {
    diagnosis.fail(
      'cluster',
      'This is a cluster, and the user may not ask where its slots are.',
      'Allow +cluster|slots and +cluster|info.',
    );
    return false;
  }
  const cluster = new RedisInfo(text);
  const [served, primaries] = [cluster.number('cluster_slots_ok'), cluster.number('cluster_size')];
  if (served < SLOTS) {
    diagnosis.fail(
      'cluster',
      `Only ${served} of ${SLOTS} slots are served, so many keys have no server.`,
      `Start the nodes that are missing, or run redis-cli --cluster fix on ${shown}.`,
    );
    return false;
  }
  const client = `${primaries} primaries serve all ${SLOTS} slots. Your client has to be one for clusters: new Cluster([…]) of ioredis.`;
  if ((await redis.setting('cluster-require-full-coverage')) === 'yes')
    diagnosis.warn(
      'cluster',
      `${client} While one of them is gone, none serves any key.`,
      'Set cluster-require-full-coverage no on each node.',
    );
  else diagnosis.ok('cluster', client);
  return true;
}

function bytesText(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0)} MB`;
}
