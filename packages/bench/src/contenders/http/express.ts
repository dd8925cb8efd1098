import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { rateLimit } from '@sluice/express';
import express, { type Request, type RequestHandler } from 'express';
import { rateLimit as expressRateLimit } from 'express-rate-limit';
import type { Quota } from '../../contender.js';
import { headerCounter } from './header-counter.js';
import { CLIENT_FIELD, GREETING, type Identity, PROXIES, type Serve, type Variant } from './serve.js';

const CLIENT_OF: Readonly<Record<Identity, (req: Request) => string>> = {
  address: (req) => req.ip ?? '',
  header: (req) => req.get(CLIENT_FIELD) ?? '',
};

/** By address, everybody does what they do by default. */
const keyOf = (identity: Identity) => (identity === 'header' ? { keyGenerator: CLIENT_OF.header } : {});

type Make = (quota: Quota, identity: Identity) => Promise<RequestHandler>;

const MIDDLEWARE: Readonly<Record<Exclude<Variant, 'bare route'>, Make>> = {
  async 'bare Map counter'(quota, identity) {
    const count = await headerCounter(quota);
    const clientOf = CLIENT_OF[identity];
    return (req, res, next) => {
      const { headers, refusal } = count(clientOf(req));
      for (const name in headers) res.setHeader(name, headers[name] as string);
      if (refusal === undefined) return next();
      res.statusCode = 429;
      res.end(refusal);
    };
  },

  Sluice: async ({ limit, windowMs }, identity) => rateLimit({ limit, window: windowMs, ...keyOf(identity) }),

  // Its fields of the draft in their cheapest form: draft 8 adds a hash of each key.
  peer: async ({ limit, windowMs }, identity) =>
    expressRateLimit({ limit, windowMs, ...keyOf(identity), standardHeaders: 'draft-7', legacyHeaders: true }),
};

export const serve: Serve = async (variant, quota, identity) => {
  const app = express();
  if (identity === 'address') app.set('trust proxy', PROXIES);
  if (variant !== 'bare route') app.use(await MIDDLEWARE[variant](quota, identity));
  app.get('/', (_req, res) => void res.json(GREETING));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
};
