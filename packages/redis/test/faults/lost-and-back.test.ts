import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { rateLimit } from '@sluice/express';
import express, { type Express } from 'express';
import request from 'supertest';
import { Stage, sleep } from './stage.js';

let stage: Stage;
let app: Express;

beforeEach(async () => {
  stage = await Stage.set();
  app = express();
  app.use(rateLimit({ limit: 1000, window: '1h', store: stage.store() }));
  app.get('/', (req, res) => {
    res.json({ by: req.rateLimit?.source });
  });
});

afterEach(() => stage.clear());

/** Asks until a decision comes from there; every answer on the way has to be a good one. */
async function untilBy(source: string): Promise<number> {
  for (let tries = 0; tries < 1500; tries += 1) {
    const { status, body, headers } = await request(app).get('/');
    expect(status).toBe(200);
    if (body.by === source) return Number(headers['x-ratelimit-remaining']);
    await sleep(10);
  }
  throw new Error(`No decision came from ${source}`);
}

it('C7: Redis fails and recovers, and users of the API do not notice', async () => {
  for (let i = 0; i < 50; i += 1) await untilBy('store');
  expect(await untilBy('store')).toBeLessThan(960);
  await stage.freeze();
  await untilBy('local');
  await stage.server.thaw();
  await untilBy('store');
  await stage.server.kill();
  await untilBy('local');
  await stage.server.run();
  // What it had counted is gone with it.
  expect(await untilBy('store')).toBeGreaterThan(960);
});
