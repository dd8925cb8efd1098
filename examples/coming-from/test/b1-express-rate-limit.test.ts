import { beforeEach, expect, it } from '@jest/globals';
import type { Express } from 'express';
import request from 'supertest';
import { createApp, createLlmApi } from '../src/b1-express-rate-limit.js';
import { describeOnEachStore } from './each-store.js';
import { serve } from './serve.js';
import { statuses, times } from './statuses.js';

describeOnEachStore((stage) => {
  let app: Express;

  beforeEach(() => {
    app = createApp(stage.store);
  });

  const get = (headers: Readonly<Record<string, string>> = {}) => request(app).get('/').set(headers);
  const logIn = () => request(app).post('/login');

  it('B1: a hundred a minute pass, and the next is refused with the old message', async () => {
    expect(await statuses(100, () => get())).toEqual(times(100, 200));
    const refused = await get();
    expect(refused.status).toBe(429);
    expect(refused.text).toBe('Too many requests, please try again later.');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(60);
    stage.clock.advance('63s');
    expect((await get()).status).toBe(200);
  });

  it('B1: the standard fields are those of draft 6, with the legacy ones', async () => {
    const { headers } = await get();
    expect(headers).toMatchObject({
      'ratelimit-policy': '100;w=60',
      'ratelimit-limit': '100',
      'ratelimit-remaining': '99',
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '99',
    });
    // Both are seconds from now. express-rate-limit sends the time of day in the legacy field.
    expect(headers['x-ratelimit-reset']).toBe(headers['ratelimit-reset']);
    expect(Number(headers['x-ratelimit-reset'])).toBeLessThanOrEqual(63);
  });

  it('B1: an API key counts separately, whatever its address', async () => {
    const remaining = async (headers: Readonly<Record<string, string>>) =>
      (await get(headers)).headers['x-ratelimit-remaining'];
    expect(await remaining({ 'X-Api-Key': 'one' })).toBe('99');
    expect(await remaining({ 'X-Api-Key': 'one', 'X-Forwarded-For': '203.0.113.7' })).toBe('98');
    expect(await remaining({ 'X-Api-Key': 'two' })).toBe('99');
    expect(await remaining({ 'X-Forwarded-For': '203.0.113.7' })).toBe('99');
    expect(await remaining({ 'X-Forwarded-For': '203.0.113.8' })).toBe('99');
  });

  it('B1: the stricter limiter refuses only its path, and its refusals are not counted by the other', async () => {
    expect(await statuses(7, logIn)).toEqual([...times(5, 200), 429, 429]);
    expect((await get()).headers['x-ratelimit-remaining']).toBe('94');
  });

  it('B1: a fixed window admits everybody again when it is over', async () => {
    await statuses(5, logIn);
    stage.clock.advance(15 * 60_000 - 1);
    expect(await statuses(1, logIn)).toEqual([429]);
    stage.clock.advance(1);
    expect(await statuses(6, logIn)).toEqual([...times(5, 200), 429]);
  });
});

describeOnEachStore((stage) => {
  it('S10: 20 pass, then 429, and the first limit has 80 left', async () => {
    const server = serve(createLlmApi(stage.store));
    const complete = () => request(server).post('/api/v1/completions').set('X-API-Key', 'of ann');
    expect(await statuses(25, complete)).toEqual([...times(20, 200), ...times(5, 429)]);
    const { body, headers } = await complete();
    expect(body).toEqual({ error: 'Too Many Requests', retryAfter: 60 });
    expect(headers).toMatchObject({ 'ratelimit-limit': '20', 'ratelimit-remaining': '0' });
    expect(headers).not.toHaveProperty('x-ratelimit-limit');
    // This request is the 21st of the first limit: what the second refused has been given back.
    const other = await request(server).get('/api/models').set('X-API-Key', 'of ann');
    expect(other.headers).toMatchObject({ 'ratelimit-policy': '100;w=60', 'ratelimit-remaining': '79' });
  });

  it('S10: without a key, the address counts', async () => {
    const server = serve(createLlmApi(stage.store));
    const from = (address: string) => request(server).post('/api/v1/completions').set('X-Forwarded-For', address);
    expect(await statuses(21, () => from('203.0.113.7'))).toEqual([...times(20, 200), 429]);
    expect(await statuses(1, () => from('203.0.113.8'))).toEqual([200]);
  });
});
