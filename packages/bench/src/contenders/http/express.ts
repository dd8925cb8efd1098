import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { rateLimit } from '@sluice/express';
import express, { type Request, type RequestHandler } from 'express';
import { rateLimit as expressRateLimit } from 'express-rate-limit';
import type { Quota } from '../../contender.js';
import { headerCounter } from './header-counter.js';
import { CLIENT_FIELD, GREETING, type Serve, type Variant } from './serve.js';

const clientOf = (req: Request): string => req.get(CLIENT_FIELD) ?? '';

const MIDDLEWARE: Readonly<Record<Exclude<Variant, 'bare route'>, (quota: Quota) => Promise<RequestHandler>>> = {
  async 'bare Map counter'(quota) {
    const count = await headerCounter(quota);
    return (req, res, next) => {
      const { headers, refusal } = count(clientOf(req));
      for (const name in headers) res.setHeader(name, headers[name] as string);
      if (refusal === undefined) return next();
      res.statusCode = 429;
      res.end(refusal);
    };
  },

  Sluice: async ({ limit, windowMs }) => rateLimit({ limit, window: windowMs, keyGenerator: clientOf }),

  // Its fields of the draft in their cheapest form: draft 8 adds a hash of each key.
  peer: async ({ limit, windowMs }) =>
    expressRateLimit({ limit, windowMs, keyGenerator: clientOf, standardHeaders: 'draft-7', legacyHeaders: true }),
};

export const serve: Serve = async (variant, quota) => {
  const app = express();
  if (variant !== 'bare route') app.use(await MIDDLEWARE[variant](quota));
  app.get('/', (_req, res) => void res.json(GREETING));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
};
