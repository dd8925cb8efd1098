import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { RedisServer } from '../src/redis-server.js';
import { workIn, workOf, workOfDecision } from '../src/redis-work.js';

/** @param traffic - the bytes that it says it has read and written */
const readingOf = (processorMs: number, stats: string, [read, written] = [0, 0]) =>
  workIn([
    stats,
    `used_cpu_sys:0.0\r\nused_cpu_user:${processorMs / 1_000}\r\n`,
    `total_net_input_bytes:${read}\r\ntotal_net_output_bytes:${written}\r\n`,
  ]);

describe('the work of Redis for a decision', () => {
  it('is the time of scripts, which contains that of their commands', () => {
    const before = readingOf(
      10,
      'cmdstat_evalsha:calls=10,usec=100,usec_per_call=10.00\r\ncmdstat_get:calls=10,usec=20\r\n',
    );
    const after = readingOf(
      14,
      'cmdstat_evalsha:calls=110,usec=1600,usec_per_call=14.54\r\ncmdstat_get:calls=210,usec=420\r\ncmdstat_time:calls=100,usec=50\r\n',
    );
    expect(workOfDecision(before, after, 100)).toMatchObject({ redisUs: 40, commandUs: 15, commands: 4 });
  });

  it('is the time of all commands if no script ran in between', () => {
    const before = readingOf(0, 'cmdstat_evalsha:calls=7,usec=700\r\ncmdstat_incr:calls=1,usec=1\r\n');
    const after = readingOf(1, 'cmdstat_evalsha:calls=7,usec=700\r\ncmdstat_incr:calls=101,usec=201\r\n');
    expect(workOfDecision(before, after, 100)).toMatchObject({ redisUs: 10, commandUs: 2, commands: 1 });
  });

  it('has the bytes of all clients but the one that reads them', async () => {
    const server = await RedisServer.start();
    const [observer, client] = [new Redis(server.port, '127.0.0.1'), new Redis(server.port, '127.0.0.1')];
    try {
      await Promise.all([observer.ping(), client.ping()]);
      const before = await workOf(observer);
      for (let i = 0; i < 100; i += 1) await client.set('key', 'value');
      // *3 $3 set $3 key $5 value, and +OK.
      expect(workOfDecision(before, await workOf(observer), 100)).toMatchObject({ readBytes: 33, writtenBytes: 5 });
    } finally {
      observer.disconnect();
      client.disconnect();
      await server.stop();
    }
  });
});
