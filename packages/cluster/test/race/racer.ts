import { createConnection } from 'node:net';
import { ManualClock } from '@sluice/core/testing';
import { race } from '@sluice/test-kit/race/racer';
import { clusterStore } from '../../src/index.js';

const [channel, holders] = process.argv.slice(2) as [channel: string, holders: string];

// Time stands still, so no window can end during the race.
const store = clusterStore({ role: 'worker', channel, clock: new ManualClock(), timeout: '10s' });

/** Changes how many hold a slot in all processes, and returns it. */
const change = (difference: number): Promise<number> =>
  new Promise((resolve, reject) => {
    waiting.push(resolve);
    counter.write(`${difference}\n`, (error) => error && reject(error));
  });

const waiting: ((held: number) => void)[] = [];
const counter = createConnection(holders).setEncoding('utf8');
let rest = '';
counter.on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() as string;
  for (const line of lines) waiting.shift()?.(Number(line));
});

store.ready().then(() =>
  race({
    store,
    enter: () => change(1),
    leave: () => change(-1),
    disconnect: () => {
      counter.destroy();
      return store.close();
    },
  }),
);
