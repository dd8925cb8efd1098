import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { StartShedding } from '@sluice/test-kit/shedding-suite';
import type express from 'express';
import type { Request, Response } from 'express';
import { rateLimit, shedLoad } from '../src/index.js';

/** Serves the applications of the suite with a version of Express. */
export function startSheddingOn(createApp: typeof express): StartShedding {
  return async ({ mount, options, limits, handle }) => {
    const app = createApp().set('env', 'test');
    const outer = mount === undefined ? app : createApp().use(mount, app);
    app.use(shedLoad(options(([req]) => req as Request)));
    for (const policy of limits?.(([req]) => req as Request) ?? []) app.use(rateLimit(policy));
    app.use(async (req: Request, res: Response, next) => {
      try {
        const { status, headers = {}, body } = await handle({ method: req.method, path: req.url, load: req.load });
        res.status(status).set(headers);
        if (body instanceof Readable) pipeline(body, res, () => {});
        else res.send(body);
      } catch (error) {
        next(error);
      }
    });
    const server = await new Promise<Server>((resolve) => {
      const listening = outer.listen(0, '127.0.0.1', () => resolve(listening));
    });
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      server,
      close: () =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    };
  };
}
