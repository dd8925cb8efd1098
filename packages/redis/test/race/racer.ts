import type { Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { race } from '@sluice/test-kit/race/racer';
import { Redis } from 'ioredis';
import { RedisStore } from '../../src/index.js';
import { CountedScripts } from '../counted-scripts.js';
import { FORMS, type Form } from '../forms.js';

const [port, form] = process.argv.slice(2) as [port: string, form?: Form];
const client = new Redis(Number(port));
const counted = new CountedScripts(client);
// Time stands still, so no window can end during the race.
const clock = new ManualClock();
let stores = 0;
const newStore = (): Store<true> => {
  stores += 1;
  return new RedisStore({ client: counted.client, clock, prefix: `${stores}:`, timeout: '10s' });
};

client.once('ready', () =>
  race({
    store: form ? FORMS[form](newStore) : newStore(),
    enter: () => client.incr('holders'),
    leave: () => client.decr('holders'),
    disconnect: () => client.disconnect(),
  }),
);
