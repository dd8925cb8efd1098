import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import express from 'express';
import { shedLoad } from '../src/index.js';

/** A service that takes so long, behind a server with ten places. */
const SERVICE_MS = 20;
const PLACES = 10;
/** The modest tenant asks so often, one request after another. */
const ASKED = 60;
const NOT_COUNTED = 20;
/** Who was refused asks again after this. */
const AGAIN_MS = 20;

/** A greedy tenant has thirty requests in flight at any time, and a modest one has two. Returns the part of the latter that was answered. */
async function servedBeside(port: number): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const answers: boolean[] = [];
  const isOver = (): boolean => answers.length >= ASKED;
  const client = async (tenant: string, note: (isAnswered: boolean) => unknown): Promise<void> => {
    while (!isOver()) {
      const answered = await isAnswered(port, agent, tenant);
      note(answered);
      if (!answered) await pause(AGAIN_MS);
    }
  };
  const greedy = Array.from({ length: 30 }, () => client('greedy', () => {}));
  // A part is known when a tenant has shown for some tenths of a second what it wants.
  await pause(300);
  const modest = Array.from({ length: 2 }, () => client('modest', (answered) => answers.push(answered)));
  await Promise.all([...greedy, ...modest]);
  agent.destroy();
  const counted = answers.slice(NOT_COUNTED);
  return counted.filter(Boolean).length / counted.length;
}

async function isAnswered(port: number, agent: Agent, tenant: string): Promise<boolean> {
  const request = get({ host: '127.0.0.1', port, agent, headers: { 'x-account': tenant } });
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  message.resume();
  await once(message, 'end');
  return message.statusCode === 200;
}

async function modestServed(options: Parameters<typeof shedLoad>[0]): Promise<number> {
  const app = express();
  const inFlight = { algorithm: 'aimd', initial: PLACES, max: PLACES } as const;
  // The speed of the machine is not what is tested.
  app.use(shedLoad({ loop: false, inFlight, ...options }));
  app.get('/', async (_req, res) => {
    await pause(SERVICE_MS);
    res.send('done');
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const served = await servedBeside(port);
  server.close();
  await once(server, 'close');
  return served;
}

it('A tenant is served beside one that asks for fifteen times as much', async () => {
  const without = await modestServed({});
  const by = await modestServed({ tenant: (req) => req.get('x-account') });

  // A machine with much else to do serves less.
  expect(by).toBeGreaterThan(0.6);
  expect(without).toBeLessThan(by);
});
