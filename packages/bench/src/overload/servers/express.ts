import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { shedLoad } from '@sluice/express';
import express, { type RequestHandler } from 'express';
import toobusy from 'toobusy-js';
import { ANSWER, BUSY, KEEP_ALIVE_MS, type Protection, priorityOf } from '../protection.js';
import type { Serve } from './index.js';

/** As its README says. */
const refuseIfTooBusy: RequestHandler = (_req, res, next) => {
  if (toobusy()) res.status(BUSY.status).send(BUSY.body);
  else next();
};

/** What Express, and Nest on Express, use before all routes. */
export function middlewareOf(protection: Protection): RequestHandler | undefined {
  if (protection === 'toobusy-js') return refuseIfTooBusy;
  if (protection === 'shedLoad') return shedLoad({ priority: priorityOf });
  return undefined;
}

export const serve: Serve = async (protection, handler) => {
  const app = express();
  const middleware = middlewareOf(protection);
  if (middleware) app.use(middleware);
  app.get('/', async (_req, res) => {
    await handler();
    res.json(ANSWER);
  });
  const server = app.listen(0, '127.0.0.1');
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};
