import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { AdapterAnswer, AdapterTools, StartAdapter } from '@sluice/core/testing';
import type express from 'express';
import type { Request, Response } from 'express';
import { rateLimit } from '../src/index.js';

function send(res: Response, { status, body }: AdapterAnswer): void {
  res.status(status);
  // What breaks off is seen by the client; there is nobody else to tell.
  if (body instanceof Readable) pipeline(body, res, () => {});
  else res.send(body);
}

/** What of an Express callback's arguments the suite reads. */
const tools: AdapterTools = {
  requestOf: ([req]) => req as Request,
  statusOf: ([, res]) => (res as Response).statusCode,
  answer: ([, res], answer) => send(res as Response, answer),
};

/** Serves the adapter suite's applications with a version of Express. */
export function startOn(createApp: typeof express): StartAdapter {
  return async ({ policies, handle, trustsLoopback = false }) => {
    const app = createApp().set('env', 'test');
    if (trustsLoopback) app.set('trust proxy', 'loopback');
    for (const options of policies(tools)) app.use(rateLimit(options));
    app.use(async (req: Request, res: Response, next) => {
      try {
        send(res, await handle({ method: req.method, path: req.url, rateLimit: req.rateLimit }));
      } catch (error) {
        next(error);
      }
    });
    const server = await new Promise<Server>((resolve) => {
      const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
    });
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  };
}
