import { describe, expect, it } from '@jest/globals';
import { commandsIn, workOfDecision } from '../src/redis-work.js';

const readingOf = (processorMs: number, stats: string) => ({ processorMs, commands: commandsIn(stats) });

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
    expect(workOfDecision(before, after, 100)).toEqual({ redisUs: 40, commandUs: 15, commands: 4 });
  });

  it('is the time of all commands if no script ran in between', () => {
    const before = readingOf(0, 'cmdstat_evalsha:calls=7,usec=700\r\ncmdstat_incr:calls=1,usec=1\r\n');
    const after = readingOf(1, 'cmdstat_evalsha:calls=7,usec=700\r\ncmdstat_incr:calls=101,usec=201\r\n');
    expect(workOfDecision(before, after, 100)).toEqual({ redisUs: 10, commandUs: 2, commands: 1 });
  });
});
