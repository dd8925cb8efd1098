import { beforeEach, describe, expect, it } from '@jest/globals';
import { type MemoryStore, subscribe } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import type { Express, Response } from 'express';
import request from 'supertest';
import { createApi, createApp, createZone } from '../src/b7-nginx.js';
import { serve } from './serve.js';
import { statuses, times } from './statuses.js';
import { until } from './until.js';

let clock: ManualClock;
let downloads: Response[];
let app: Express;

const appOver = (store: MemoryStore): Express => createApp(store, (_req, res) => void downloads.push(res));

beforeEach(() => {
  clock = new ManualClock();
  downloads = [];
  app = appOver(createZone({ clock }));
});

const get = (path: string, headers: Record<string, string> = {}) => request(app).get(path).set(headers);

it('B7: rate=10r/s burst=20 nodelay passes 21 at once, and then one every 100 ms', async () => {
  expect(await statuses(22, () => get('/nodelay'))).toEqual([...times(21, 200), 429]);
  clock.advance('99ms');
  expect(await statuses(1, () => get('/nodelay'))).toEqual([429]);
  clock.advance('1ms');
  expect(await statuses(2, () => get('/nodelay'))).toEqual([200, 429]);
  clock.advance('2100ms');
  expect(await statuses(22, () => get('/nodelay'))).toEqual([...times(21, 200), 429]);
});

/**
 * Returns the statuses of this many requests that come at once, in the order of the responses. Resolves when all are
 * answered or asleep.
 */
async function together(count: number, path: string, asleep: number): Promise<number[]> {
  const answered: number[] = [];
  for (let i = 0; i < count; i += 1) get(path).then(({ status }) => answered.push(status));
  await clock.untilSleeping(asleep);
  await until(() => answered.length === count - asleep);
  return answered;
}

it('B7: rate=10r/s burst=20 lets 21 that come at once through 100 ms apart, and refuses others at once', async () => {
  const answered = await together(23, '/delay', 20);
  expect(answered.toSorted()).toEqual([200, 429, 429]);
  for (let count = 4; count <= 23; count += 1) {
    clock.advance('99ms');
    expect(answered).toHaveLength(count - 1);
    clock.advance('1ms');
    await until(() => answered.length >= count);
  }
  expect(answered.slice(3)).toEqual(times(20, 200));
});

it('B7: delay=8 lets nine through at once, and the others 100 ms apart', async () => {
  const answered = await together(22, '/two-stage', 12);
  expect(answered.toSorted()).toEqual([...times(9, 200), 429]);
  clock.advance('300ms');
  await until(() => answered.length >= 13);
  clock.advance('900ms');
  await until(() => answered.length === 22);
});

it('B7: a zone at 100 a minute takes one request of a key every 600 ms, and counts no request without a key', async () => {
  const one = () => get('/keys', { 'X-Api-Key': 'one' });
  expect(await statuses(2, one)).toEqual([200, 429]);
  expect(await statuses(1, () => get('/keys', { 'X-Api-Key': 'two' }))).toEqual([200]);
  expect(await statuses(5, () => get('/keys'))).toEqual(times(5, 200));
  clock.advance('600ms');
  expect(await statuses(2, one)).toEqual([200, 429]);
});

it('B7: a hundred of a key pass in any minute, if that is meant', async () => {
  const one = () => get('/minute', { 'X-Api-Key': 'one' });
  expect(await statuses(101, one)).toEqual([...times(100, 200), 429]);
  clock.advance('63s');
  expect(await statuses(1, one)).toEqual([200]);
});

it('B7: limit_conn allows an address two downloads at once, and responds to the third with 503', async () => {
  const download = (address: string) =>
    get('/download', { 'X-Forwarded-For': address }).then(({ status }: { status: number }) => status);
  const open = [download('203.0.113.7'), download('203.0.113.7'), download('203.0.113.8')];
  await until(() => downloads.length === 3);
  expect(await download('203.0.113.7')).toBe(503);

  let ended = 0;
  for (const res of downloads) {
    res.once('close', () => {
      ended += 1;
    });
    res.send('all of it');
  }
  expect(await Promise.all(open)).toEqual([200, 200, 200]);
  await until(() => ended === 3);

  const next = download('203.0.113.7');
  await until(() => downloads.length === 4);
  downloads[3]?.send('more');
  expect(await next).toBe(200);
});

it('B7: a dry run refuses no request, sends no fields, and reports what it would have refused', async () => {
  let refused = 0;
  const stop = subscribe('sluice:decision', ({ decision }) => {
    if (decision.shadowed) refused += 1;
  });
  const notified = [];
  for (let i = 0; i < 24; i += 1) {
    const { headers } = await get('/dry-run').expect(200);
    expect(headers.ratelimit).toBeUndefined();
    notified.push(headers['x-limit-req-status']);
  }
  stop();
  expect(notified).toEqual([...Array(21).fill('PASSED'), ...Array(3).fill('REJECTED_DRY_RUN')]);
  expect(refused).toBe(3);
});

it('B7: a full zone forgets the key that has spent least, and keeps refusing exhausted keys', async () => {
  app = appOver(createZone({ maxKeys: 10, clock }));
  const from = (address: string) => get('/nodelay', { 'X-Forwarded-For': address });
  await from('203.0.113.1');
  expect(await statuses(22, () => from('203.0.113.2'))).toEqual([...times(21, 200), 429]);
  for (let host = 1; host <= 100; host += 1) await statuses(2, () => from(`198.51.100.${host}`));
  expect((await from('203.0.113.2')).status).toBe(429);
  expect((await from('203.0.113.1')).headers['x-ratelimit-remaining']).toBe('20');
});

describe('the server of an API', () => {
  const api = () => serve(createApi(createZone({ clock })));

  it('S7: 10r/s with burst=20 nodelay passes 21 at once by address', async () => {
    const server = api();
    const from = (address: string) => request(server).get('/api/users').set('X-Forwarded-For', address);
    expect(await statuses(22, () => from('203.0.113.7'))).toEqual([...times(21, 200), 429]);
    expect(await statuses(1, () => from('203.0.113.8'))).toEqual([200]);
    clock.advance('100ms');
    expect(await statuses(2, () => from('203.0.113.7'))).toEqual([200, 429]);
  });

  it('S7: 100r/m with burst=5 nodelay passes 6 at once by API key, and one every 600 ms after that', async () => {
    const server = api();
    const withKey = () => request(server).get('/api/v1/completions').set('X-API-Key', 'one');
    expect(await statuses(7, withKey)).toEqual([...times(6, 200), 429]);
    clock.advance('599ms');
    expect(await statuses(1, withKey)).toEqual([429]);
    clock.advance('1ms');
    expect(await statuses(2, withKey)).toEqual([200, 429]);
    // The other location has counted none of them, and a request without a key is not counted here.
    expect(await statuses(30, () => request(server).get('/api/v1/completions'))).toEqual(times(30, 200));
    expect((await request(server).get('/api/users')).headers['x-ratelimit-remaining']).toBe('20');
  });

  it('S7: the body of error_page 429 is the message', async () => {
    const server = api();
    const withKey = () => request(server).get('/api/v1/completions').set('X-API-Key', 'one');
    await statuses(6, withKey);
    const { status, body, headers } = await withKey();
    expect([status, body]).toEqual([429, { error: 'Too Many Requests', retry_after: 60 }]);
    expect(headers['retry-after']).toBe('1'); // when the next one fits, not after 60 s
  });
});
