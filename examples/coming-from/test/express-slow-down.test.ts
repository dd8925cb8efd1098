import { beforeEach, expect, it } from '@jest/globals';
import type { Express } from 'express';
import request, { type Response } from 'supertest';
import { createApp } from '../src/express-slow-down.js';
import { describeOnEachStore } from './each-store.js';
import { times } from './statuses.js';

describeOnEachStore((stage) => {
  let app: Express;

  beforeEach(() => {
    app = createApp(stage.store);
  });

  /** Sends a request, and lets it sleep for so long. It has to be asleep until the last millisecond. */
  async function slow(path: string, delayMs: number): Promise<Response> {
    let isAnswered = false;
    const answer = request(app)
      .get(path)
      .then((response) => {
        isAnswered = true;
        return response;
      });
    await stage.clock.untilSleeping(1);
    stage.clock.advance(delayMs - 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    stage.clock.advance(1);
    return answer;
  }

  it('express-slow-down: requests after the fifth wait 200 ms more each, at most a second, and the 13th is refused', async () => {
    for (let i = 0; i < 5; i += 1) expect((await request(app).get('/search')).body).toEqual({ delayMs: 0 });
    for (const delayMs of [200, 400, 600, 800, 1000, 1000, 1000]) {
      const { status, body } = await slow('/search', delayMs);
      expect([status, body]).toEqual([200, { delayMs }]);
    }
    const refused = await request(app).get('/search');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '895']);
  });

  it('express-slow-down: a fixed delay is the same for all requests, which are never refused', async () => {
    const first = await request(app).get('/reports');
    expect([first.body, first.headers.ratelimit]).toEqual([{ delayMs: 0 }, undefined]);
    const delays: number[] = [];
    for (let i = 0; i < 3; i += 1) delays.push((await slow('/reports', 500)).body.delayMs);
    expect(delays).toEqual(times(3, 500));
  });

  it('express-slow-down: when the window is over, nothing is delayed', async () => {
    for (let i = 0; i < 5; i += 1) await request(app).get('/search');
    await slow('/search', 200);
    stage.clock.advance('15m');
    expect((await request(app).get('/search')).body).toEqual({ delayMs: 0 });
  });
});
