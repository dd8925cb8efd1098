import { afterEach } from '@jest/globals';
import { MemoryStore, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import request from 'supertest';

/** Starts an example over this store, whose clock is the application's, on any free port of this machine. */
export type StartApi = (options: { readonly store: Store; readonly trustProxy: string }) => Promise<RunningApi>;

export interface RunningApi {
  readonly url: string;
  close(): Promise<unknown>;
}

export const ANN = '203.0.113.1';
export const BOB = '203.0.113.2';

const running: RunningApi[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((api) => api.close()));
});

/** An example on a clock that stands still, with requests from any address. */
export async function drive(start: StartApi) {
  const clock = new ManualClock();
  const api = await start({ store: new MemoryStore({ clock }), trustProxy: 'loopback' });
  running.push(api);
  const send = (method: 'get' | 'post', path: string, from = ANN) =>
    request(api.url)[method](path).set('X-Forwarded-For', from);
  return {
    clock,
    get: (path: string, from?: string) => send('get', path, from),
    quotes: (apiKey: string, from?: string) => send('get', '/v1/quotes', from).set('X-Api-Key', apiKey),
    quota: (apiKey: string) => send('get', '/v1/quota').set('X-Api-Key', apiKey),
    login: (username: unknown, password: unknown, from?: string) =>
      send('post', '/login', from).send({ username, password }),
    /** Sends a text unchanged as a JSON body. */
    post: (path: string, body: string) => send('post', path).type('json').send(body),
  };
}

/** Statuses of requests sent one after the other. */
export async function statuses(count: number, send: () => PromiseLike<{ status: number }>): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < count; i += 1) seen.push((await send()).status);
  return seen;
}

/** Returns the same status this many times, to compare with `statuses`. */
export const times = (count: number, status: number): number[] => Array<number>(count).fill(status);
