import { expect, it, jest } from '@jest/globals';
import type { Request, Response } from 'express';
import request from 'supertest';
import { createApp, tooMany } from '../src/own-middleware.js';
import { describeOnEachStore } from './each-store.js';
import { serve } from './serve.js';
import { statuses, times } from './statuses.js';
import { until } from './until.js';

describeOnEachStore((stage) => {
  it('S6: a capacity of 10 with 5 for each request admits two, and refuses with the old body', async () => {
    const server = serve(createApp(stage));
    const get = () => request(server).get('/bucket');
    expect(await statuses(3, get)).toEqual([200, 200, 429]);
    expect((await get()).body).toEqual({ error: 'Too Many Requests', message: 'Rate limit exceeded for /bucket' });
    stage.clock.advance('5s');
    expect(await statuses(2, get)).toEqual([200, 429]);
  });

  it('S6: a capacity of 2 that leaks one a second answers two of three at once, the second after a second', async () => {
    const server = serve(createApp(stage));
    const answered: number[] = [];
    const asked = Array.from({ length: 3 }, () =>
      request(server)
        .get('/queue')
        .then(({ status }) => void answered.push(status)),
    );
    await stage.clock.untilSleeping(1);
    await until(() => answered.length === 2);
    stage.clock.advance('1s');
    await Promise.all(asked);
    expect(answered.sort()).toEqual([200, 200, 429]);
  });

  it('S6: a threshold of 10 in 5,000 ms refuses the eleventh until the window ends', async () => {
    const server = serve(createApp(stage));
    const get = () => request(server).get('/window');
    expect(await statuses(11, get)).toEqual([...times(10, 200), 429]);
    stage.clock.advance('5s');
    expect(await statuses(1, get)).toEqual([200]);
  });

  it('S6: keys of the header api-key have buckets of their own, and /health is skipped', async () => {
    const server = serve(createApp(stage));
    const withKey = (key: string) => () => request(server).get('/bucket').set('Api-Key', key);
    expect(await statuses(3, withKey('one'))).toEqual([200, 200, 429]);
    expect(await statuses(3, withKey('two'))).toEqual([200, 200, 429]);
    expect(await statuses(9, () => request(server).get('/bucket/health'))).toEqual(times(9, 200));
  });

  it('S6: a client cannot choose its address by the first entry of X-Forwarded-For', async () => {
    const server = serve(createApp(stage));
    const from = (entries: string) => () => request(server).get('/bucket').set('X-Forwarded-For', entries);
    expect(await statuses(2, from('198.51.100.1, 203.0.113.7'))).toEqual([200, 200]);
    expect(await statuses(1, from('198.51.100.2, 203.0.113.7'))).toEqual([429]);
    expect(await statuses(1, from('203.0.113.8'))).toEqual([200]);
  });

  it('S6: the hook gets the decision as a third argument, so a test of two arguments needs a wrapper', async () => {
    const hook = jest.fn<(...args: unknown[]) => void>((req, res) => tooMany(req as Request, res as Response));
    const three = serve(createApp({ store: stage.store, onLimitReached: hook }));
    await statuses(3, () => request(three).get('/bucket'));
    expect(hook.mock.calls.map(({ length }) => length)).toEqual([3]);
    expect(hook.mock.calls[0]?.[2]).toMatchObject({ allowed: false });
  });

  it('S6: in a wrapper it gets exactly the request and the response', async () => {
    const hook = jest.fn(tooMany);
    const two = serve(createApp({ store: stage.store, onLimitReached: (req, res) => hook(req, res) }));
    await statuses(3, () => request(two).get('/bucket'));
    expect(hook).toHaveBeenCalledWith(
      expect.objectContaining({ method: 'GET' }),
      expect.objectContaining({ statusCode: 429 }),
    );
  });
});
