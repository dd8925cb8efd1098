import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { shedLoad } from '@sluice/express';
import express, { type RequestHandler } from 'express';
import toobusy from 'toobusy-js';
import { ANSWER, BUSY, KEEP_ALIVE_MS, priorityOf } from '../protection.js';
import type { Serve } from './index.js';

/** As its README says. */
export const refuseIfTooBusy: RequestHandler = (_req, res, next) => {
  if (toobusy()) res.status(BUSY.status).send(BUSY.body);
  else next();
};

export const serve: Serve = async (protection, handler) => {
  const app = express();
  if (protection === 'toobusy-js') app.use(refuseIfTooBusy);
  if (protection === 'shedLoad') app.use(shedLoad({ priority: priorityOf }));
  app.get('/', async (_req, res) => {
    await handler();
    res.json(ANSWER);
  });
  const server = app.listen(0, '127.0.0.1');
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};
