import { sendError } from '@sluice/example-shared';
import { MemoryStore, rateLimit, type Store } from '@sluice/express';
import { createLlm } from '@sluice/llm';
import express, { type Express, type Request, type Response } from 'express';
import { customerOf } from './customers.js';
import { PLANS } from './plans.js';
import { PRICES } from './prices.js';

export interface GatewayOptions {
  /** Where calls are counted. Default: in memory. */
  readonly store?: Store;
  /** The origin of the provider. */
  readonly upstream: string;
}

/** The paths of both dialects, as the provider has them. */
const PATHS = ['/v1/chat/completions', '/v1/responses', '/v1/completions', '/v1/embeddings', '/v1/messages'];

/** A gateway: customers call it as they would call the provider, and each has the limits of its plan. */
export function createGateway({ store = new MemoryStore(), upstream }: GatewayOptions): Express {
  const llm = createLlm<[req: Request, res: Response]>({
    call: (req) => req.body,
    plan: (req) => PLANS[customerOf(req.headers)?.plan ?? 'free'],
    prices: PRICES,
    showBudget: true,
    clock: store.clock,
  });
  const limit = rateLimit({
    name: 'llm',
    store,
    keyGenerator: (req) => customerOf(req.headers)?.id,
    onMissingKey: 401,
    ...llm.policy,
  });

  const app = express();
  app.disable('x-powered-by');
  app.post(PATHS, express.json({ limit: '4mb' }), limit, (req, res) =>
    llm.relay({ req, res }, (body, signal) =>
      fetch(`${upstream}${req.path}`, {
        method: 'POST',
        // The key of the provider belongs here. The customer's own key never leaves the gateway.
        headers: { 'content-type': 'application/json', authorization: 'Bearer the-key-of-the-gateway' },
        body,
        signal,
      }),
    ),
  );
  app.use(sendError);
  return app;
}
