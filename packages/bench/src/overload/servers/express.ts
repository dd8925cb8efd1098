import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { shedLoad } from '@sluice/express';
import express, { type RequestHandler } from 'express';
import toobusy from 'toobusy-js';
import { ANSWER, BUSY, type Front, isShedding, KEEP_ALIVE_MS, sheddingOf } from '../protection.js';
import type { Serve } from './index.js';

const refuse: RequestHandler = (_req, res) => void res.status(BUSY.status).send(BUSY.body);

/** As its README says. */
const refuseIfTooBusy: RequestHandler = (req, res, next) => {
  if (toobusy()) refuse(req, res, next);
  else next();
};

/** The middleware of a front, for all but shedLoad. */
export const MIDDLEWARE: Readonly<Partial<Record<Front, RequestHandler>>> = {
  'toobusy-js': refuseIfTooBusy,
  'own 503': refuse,
};

export const serve: Serve = async (front, handler) => {
  const app = express();
  const middleware = MIDDLEWARE[front];
  if (middleware) app.use(middleware);
  if (isShedding(front)) app.use(shedLoad(sheddingOf(front)));
  app.get('/', async (_req, res) => {
    await handler();
    res.json(ANSWER);
  });
  const server = app.listen(0, '127.0.0.1');
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};
