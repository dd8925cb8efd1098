import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';
import { Redis as ValkeyClient } from 'iovalkey';
import { createClient } from 'redis';
import type { RedisServer } from '../redis/redis-server.js';
import { type Contender, contenderOf, timeout } from './contender.js';

/** What a decision takes at least: a count, and its end. */
const BARE_SCRIPT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count`;

export async function overRedis(server: RedisServer): Promise<Contender[]> {
  const at = { host: '127.0.0.1', port: server.port };
  const ioredis = new Redis(at);
  const iovalkey = new ValkeyClient(at);
  const nodeRedis = createClient({ socket: at });
  await nodeRedis.connect();
  const hash = (await ioredis.script('LOAD', BARE_SCRIPT)) as string;
  return [
    contenderOf('`RedisStore` over ioredis', new RedisStore({ client: ioredis, timeout })),
    contenderOf('over iovalkey', new RedisStore({ client: iovalkey, timeout, prefix: 'v:' }), () =>
      iovalkey.disconnect(),
    ),
    contenderOf('over node-redis', new RedisStore({ client: nodeRedis, timeout, prefix: 'n:' }), () =>
      nodeRedis.destroy(),
    ),
    {
      name: 'a bare script over node-redis',
      ask: (key) => nodeRedis.evalSha(hash, { keys: [`bare-n:${key}`], arguments: ['3600000'] }),
      end: () => {},
    },
    {
      name: 'a bare script over ioredis',
      ask: (key) => ioredis.evalsha(hash, 1, `bare:${key}`, '3600000'),
      end: async () => {
        ioredis.disconnect();
        await server.stop();
      },
    },
  ];
}
