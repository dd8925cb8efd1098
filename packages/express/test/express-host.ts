import { pipeline, Readable } from 'node:stream';
import type { AdapterAnswer, AdapterTools, StartAdapter } from '@sluice/conformance';
import { serveNode } from '@sluice/test-kit/serve-node';
import type express from 'express';
import type { Express, Request, Response } from 'express';
import { type RateLimitHandler, rateLimit } from '../src/index.js';

function send(res: Response, { status, body }: AdapterAnswer): void {
  res.status(status);
  // What breaks off is seen by the client; there is nobody else to tell.
  if (body instanceof ReadableStream) pipeline(Readable.fromWeb(body), res, () => {});
  else res.send(body);
}

/** What of an Express callback's arguments the suite reads. */
const tools: AdapterTools = {
  requestOf: ([req]) => req as Request,
  statusOf: ([, res]) => (res as Response).statusCode,
  answer: ([, res], answer) => send(res as Response, answer),
};

/** How an application has its requests limited. */
type Limiting = (app: Express, limiters: readonly RateLimitHandler[]) => void;

const asMiddleware: Limiting = (app, limiters) => {
  for (const limiter of limiters) app.use(limiter);
};

/** The application calls its limiters itself, one after the other, with a `next` that throws the error that it gets. */
export const byItself: Limiting = (app, limiters) => {
  app.use(async (req, res, next) => {
    try {
      for (const limiter of limiters) if (!(await isAdmitted(limiter, req, res))) return;
    } catch (error) {
      return next(error);
    }
    next();
  });
};

async function isAdmitted(limiter: RateLimitHandler, req: Request, res: Response): Promise<boolean> {
  let isAdmitted = false;
  await limiter(req, res, (error?: unknown) => {
    if (error) throw error;
    isAdmitted = true;
  });
  return isAdmitted;
}

/** Serves the adapter suite's applications with a version of Express. */
export function startOn(createApp: typeof express, limitRequests: Limiting = asMiddleware): StartAdapter {
  return async ({ policies, handle, trustsLoopback = false }) => {
    const app = createApp().set('env', 'test');
    if (trustsLoopback) app.set('trust proxy', 'loopback');
    limitRequests(
      app,
      policies(tools).map((options) => rateLimit(options)),
    );
    app.use(async (req: Request, res: Response, next) => {
      try {
        send(res, await handle({ method: req.method, path: req.url, rateLimit: req.rateLimit }));
      } catch (error) {
        next(error);
      }
    });
    return serveNode(app);
  };
}
