import { ManualClock } from '@sluice/core/testing';
import { race } from '@sluice/test-kit/race/racer';
import { Redis } from 'ioredis';
import { RedisStore } from '../../src/index.js';
import { CONNECT } from './connections.js';

const port = Number(process.argv[2]);
/** Counts the holders of slots, past the tested client. */
const counting = new Redis(port, '127.0.0.1');

const names = Object.keys(CONNECT);
/** The client that every process has. Without it, each has another. */
const name = process.argv[3] ?? names[Number(process.env.SLUICE_RACER) % names.length];

async function start(): Promise<void> {
  const connection = await CONNECT[name as string]?.({ port });
  if (!connection) throw new Error(`no client is called ${name}`);
  const { client } = connection;
  race({
    // Time stands still, so no window can end during the race.
    store: new RedisStore({ client, clock: new ManualClock(), timeout: '10s' }),
    enter: () => counting.incr('holders'),
    leave: () => counting.decr('holders'),
    disconnect: async () => {
      await connection.end();
      counting.disconnect();
    },
  });
}

void start();
