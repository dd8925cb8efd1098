import { ManualClock } from '@sluice/core/testing';
import { MemoryStore } from '@sluice/express';
import request from 'supertest';
import { createApp } from '../src/app.js';

export const ANN = '203.0.113.1';
export const BOB = '203.0.113.2';

/** The example on a clock that stands still, with requests from any address. */
export function drive() {
  const clock = new ManualClock();
  const app = createApp({ store: new MemoryStore({ clock }), trustProxy: 'loopback' });
  const send = (method: 'get' | 'post', path: string, from = ANN) =>
    request(app)[method](path).set('X-Forwarded-For', from);
  return {
    clock,
    get: (path: string, from?: string) => send('get', path, from),
    quotes: (apiKey: string, from?: string) => send('get', '/v1/quotes', from).set('X-Api-Key', apiKey),
    quota: (apiKey: string) => send('get', '/v1/quota').set('X-Api-Key', apiKey),
    login: (username: string, password: string, from?: string) =>
      send('post', '/login', from).send({ username, password }),
  };
}

/** Statuses of requests sent one after the other. */
export async function statuses(count: number, send: () => PromiseLike<{ status: number }>): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < count; i += 1) seen.push((await send()).status);
  return seen;
}

/** So many times the same status, for comparing with `statuses`. */
export const times = (count: number, status: number): number[] => Array<number>(count).fill(status);
