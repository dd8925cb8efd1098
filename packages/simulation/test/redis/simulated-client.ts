import type { IoredisClient } from '@sluice/redis';
import type { RedisReply, SimulatedRedis } from '../../src/redis/simulated-redis.js';

/** A client of a simulated server that is always connected. Every command is executed at once, and answered a little later. */
export function simulatedClient(server: SimulatedRedis): IoredisClient {
  return {
    status: 'ready',
    isCluster: false,
    call: async (command, args) => decoded(server.execute(command, args), 'utf8'),
    callBuffer: async (command, args) => decoded(server.execute(command, args), 'buffer'),
    on: () => undefined,
    off: () => undefined,
  };
}

/** A reply with its texts as ioredis gives them: read as UTF-8, or as bytes. */
function decoded(reply: RedisReply, as: 'utf8' | 'buffer'): unknown {
  if (typeof reply === 'string') {
    const bytes = Buffer.from(reply, 'latin1');
    return as === 'utf8' ? bytes.toString() : bytes;
  }
  return Array.isArray(reply) ? reply.map((one) => decoded(one, as)) : reply;
}
