import { pipeline, Readable } from 'node:stream';
import { serveNode } from '@sluice/test-kit/serve-node';
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
    return serveNode(outer);
  };
}
