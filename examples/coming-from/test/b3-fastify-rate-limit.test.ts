import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { createApp } from '../src/b3-fastify-rate-limit.js';
import { describeOnEachStore } from './each-store.js';
import { statuses, times } from './statuses.js';

describeOnEachStore((stage) => {
  let app: FastifyInstance;

  beforeEach(async () => {
    app = await createApp(stage.store);
  });

  afterEach(() => app.close());

  const get = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await app.inject({ url, headers });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  };
  const from = (address: string) => get('/', { 'x-forwarded-for': address });

  it('B3: the limit of the plugin applies to every address separately', async () => {
    expect(await statuses(101, () => from('203.0.113.7'))).toEqual([...times(100, 200), 429]);
    expect((await from('203.0.113.8')).status).toBe(200);
    expect((await from('203.0.113.7')).headers).toMatchObject({
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '0',
    });
  });

  it('B3: a route has its own limits and counts, or none', async () => {
    expect(await statuses(4, () => get('/report'))).toEqual([...times(3, 200), 429]);
    expect((await get('/')).headers['x-ratelimit-remaining']).toBe('99');
    expect(await statuses(200, () => get('/health'))).toEqual(times(200, 200));
    stage.clock.advance('1m');
    expect((await get('/report')).status).toBe(200);
  });

  it('B3: clients on the allow list are not counted, by address, by range and by a function', async () => {
    expect(await statuses(150, () => from('192.0.2.1'))).toEqual(times(150, 200));
    expect(await statuses(150, () => from('10.1.2.3'))).toEqual(times(150, 200));
    const partner = { 'x-partner': 'verified by the gateway' };
    expect(await statuses(3, () => get('/partners', partner))).toEqual(times(3, 200));
    expect(await statuses(2, () => get('/partners'))).toEqual([200, 429]);
  });

  it('B3: a client that keeps asking after refusals is banned: 403 for an hour', async () => {
    expect(await statuses(9, () => get('/search'))).toEqual([...times(5, 200), 429, 429, 403, 403]);
    stage.clock.advance('59m');
    expect(await get('/search')).toMatchObject({ status: 403, body: '{"error":"banned"}' });
    stage.clock.advance('1m');
    expect((await get('/search')).status).toBe(200);
  });

  it('B3: a client that waits after a refusal is not banned', async () => {
    expect(await statuses(7, () => get('/search'))).toEqual([...times(5, 200), 429, 429]);
    stage.clock.advance('1m');
    expect(await statuses(6, () => get('/search'))).toEqual([...times(5, 200), 429]);
  });
});
