import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { raceSuite } from '@sluice/test-kit/race/race-suite';
import { type ClusterStore, clusterStore } from '../src/index.js';
import { newChannel } from './channel.js';

const channel = newChannel();
const holders = newChannel();

let primary: ClusterStore;

// Counts those who hold a slot, in all processes.
let held = 0;
const counter = createServer((socket) => {
  socket.setEncoding('utf8').on('data', (text: string) => {
    const changes = text.trim().split('\n');
    for (const change of changes) {
      held += Number(change);
      socket.write(`${held}\n`);
    }
  });
});

beforeAll(() => {
  primary = clusterStore({ role: 'primary', channel, clock: new ManualClock() });
  counter.listen(holders);
});
afterAll(async () => {
  await primary.close();
  counter.close();
});

raceSuite(join(__dirname, 'race/racer.ts'), () => [channel, holders]);
