const { rateLimit } = require('@sluice/express');
const express = require('express');
const request = require('supertest');

test('Express is limited', async () => {
  const app = express();
  app.use(rateLimit({ limit: 1, window: '1m' }));
  app.get('/', (_req, res) => {
    res.send('hello');
  });
  await request(app).get('/').expect(200);
  const { body } = await request(app).get('/').expect(429);
  expect(body['violated-policies']).toEqual(['per-1m']);
});
