import { sendError } from '@sluice/example-shared';
import { rateLimit, type Store } from '@sluice/express';
import { createLlm } from '@sluice/llm';
import type { Queue } from 'bullmq';
import express, { type Express, type Request, type Response } from 'express';
import { customerOf, ORGANISATION, PLANS, PRICES } from './customers.js';
import { NAMES, type ProviderName, type Providers } from './providers.js';
import type { Task } from './tasks.js';
import type { Ask } from './upstream.js';

export interface GatewayOptions {
  readonly store: Store;
  readonly queue: Queue<Task>;
  readonly providers: Providers;
  readonly ask: Ask;
}

const CALLS = '/v1/chat/completions';

/** A task is tried again when nobody could answer it. */
const JOB = { attempts: 5, backoff: { type: 'exponential', delay: 200 } } as const;

/** The gateway: calls that somebody waits for, tasks that nobody waits for, and what they have cost. */
export function createGateway({ store, queue, providers, ask }: GatewayOptions): Express {
  const keyGenerator = (req: Request) => customerOf(req.headers)?.id;
  const llm = createLlm<[req: Request, res: Response]>({
    call: (req) => req.body,
    plan: (req) => PLANS[customerOf(req.headers)?.plan ?? 'free'],
    scopes: { org: { plan: ORGANISATION, keyGenerator: (req) => customerOf(req.headers)?.organisation } },
    prices: PRICES,
    showBudget: true,
  });
  const app = express().disable('x-powered-by').use(express.json());

  app.post(
    CALLS,
    // Calls beyond `parallel` wait in line for up to five seconds, first come, first served.
    rateLimit({ name: 'llm', store, keyGenerator, onMissingKey: 401, maxWait: '5s', ...llm.policy }),
    (req, res) => llm.relay({ req, res }, (body, signal) => ask(CALLS, body, signal)),
  );

  app.get('/usage', llm.usage({ keyGenerator, scopes: ['org'], title: 'Your usage' }));

  app.post('/v1/tasks', async (req, res) => {
    const customer = keyGenerator(req);
    const { prompt } = Object(req.body) as { prompt?: unknown };
    if (customer === undefined) return void res.status(401).json({ error: 'Send Authorization: Bearer ann-key' });
    if (typeof prompt !== 'string') return void res.status(400).json({ error: 'Send {"prompt": "…"}' });
    const job = await queue.add('ask', { customer, prompt }, JOB);
    res.status(202).json({ state: `/v1/tasks/${job.id}` });
  });

  app.get('/v1/tasks/:id', async (req, res) => {
    const job = await queue.getJob(req.params.id);
    // Nobody learns of the tasks of others.
    if (!job || job.data.customer !== keyGenerator(req)) return void res.status(404).json({ error: 'No such task' });
    const state = await job.getState();
    res.json({ state, answer: job.returnvalue ?? undefined, reason: job.failedReason });
  });

  // For you, to see what happens. A real platform has no such paths.
  app.get('/providers', (_req, res) => void res.json(providers.state));
  app.post('/providers/:name', (req, res) => {
    const { name } = req.params;
    const { fails } = Object(req.body) as { fails?: unknown };
    if (!NAMES.includes(name as ProviderName) || typeof fails !== 'boolean')
      return void res.status(400).json({ error: 'POST /providers/first {"fails": false}' });
    providers.setFailing(name as ProviderName, fails);
    res.json(providers.state);
  });
  app.use(sendError);
  return app;
}
