import { setTimeout as pause } from 'node:timers/promises';
import { anyQuote, problem, sendError } from '@sluice/example-shared';
import { type RateLimitOptions, rateLimit } from '@sluice/express';
import express, { type Express } from 'express';

/** The policies of the API, by their names in the policy file. */
export const POLICIES = ['quotes', 'search', 'login', 'exports'] as const;

/** What each policy says: live policies, or options that a test writes down. */
export type PolicyOptions = Readonly<Record<(typeof POLICIES)[number], RateLimitOptions>>;

/** How long an export takes. */
const EXPORT_MS = 300;

/** The API that everybody reaches. Its metrics have a server of their own. */
export function createApp(policies: PolicyOptions, trustProxy: string | false = false): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', trustProxy);

  app.get('/health', (_req, res) => {
    res.json({ status: 'up' });
  });
  app.get('/v1/quotes', rateLimit(policies.quotes), (_req, res) => {
    res.json(anyQuote());
  });
  app.get('/search', rateLimit(policies.search), (req, res) => {
    res.json({ query: req.query.q ?? '', results: [anyQuote()] });
  });
  app.post('/login', rateLimit(policies.login), (_req, res) => {
    res.status(401).json(problem(401, 'Nobody has an account here.'));
  });
  app.get('/exports', rateLimit(policies.exports), async (_req, res) => {
    await pause(EXPORT_MS);
    res.json([anyQuote()]);
  });
  app.use(sendError);
  return app;
}
