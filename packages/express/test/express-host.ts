import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AdapterTools, StartAdapter } from '@sluice/core/testing';
import type express from 'express';
import type { Request, Response } from 'express';
import { rateLimit } from '../src/index.js';

/** What of an Express callback's arguments the suite reads. */
const tools: AdapterTools = {
  requestOf: ([req]) => req as Request,
  statusOf: ([, res]) => (res as Response).statusCode,
  answer: ([, res], { status, body }) => (res as Response).status(status).send(body),
};

/** Serves the adapter suite's applications with a version of Express. */
export function startOn(createApp: typeof express): StartAdapter {
  return async ({ policies, handle }) => {
    const app = createApp().set('env', 'test');
    for (const options of policies(tools)) app.use(rateLimit(options));
    app.use(async (req: Request, res: Response, next) => {
      try {
        const { status, body } = await handle({ method: req.method, path: req.url, rateLimit: req.rateLimit });
        res.status(status).send(body);
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
