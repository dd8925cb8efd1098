import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLimiter, MemoryStore } from '@sluice/core';
import { createLlm, type LlmPlan, priceTable, usd, watchBudgets } from '@sluice/llm';
import { prometheusMetrics } from '@sluice/metrics';
import { Registry } from 'prom-client';

interface Job {
  readonly user: string;
  readonly plan: LlmPlan;
  readonly model: string;
}

const PLANS: readonly LlmPlan[] = [
  { name: 'free', perDay: usd('0.05') },
  { name: 'pro', perDay: usd('0.50'), perMonth: usd('5') },
];
const MODELS = ['small', 'large'];

/** Of each ten calls a second. */
const PAUSE_MS = 100;

/**
 * Makes calls of models, because the example has none, and shows what they cost behind the metrics of the example. Resolves with the port
 * of both.
 *
 * @param metricsPort - where the example shows its metrics
 */
export async function withModels(metricsPort: number): Promise<{ readonly port: number; stop(): void }> {
  const registry = new Registry();
  const end = prometheusMetrics({ registry, budgets: watchBudgets });
  const calling = setInterval(callOnce(), PAUSE_MS);
  const server = createServer(async (_req, res) => {
    const example = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const own = (await registry.metrics())
      .split('\n')
      .filter((line) => /^sluice_(call|budget)_.*policy="models"/.test(line));
    res.setHeader('content-type', registry.contentType);
    res.end(`${example}${own.join('\n')}\n`);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      clearInterval(calling);
      server.close();
      end();
    },
  };
}

function callOnce(): () => Promise<void> {
  const llm = createLlm<[Job]>({
    call: ({ model }) => ({
      model,
      messages: [{ role: 'user', content: 'Hello to you. '.repeat(40) }],
      max_tokens: 1500,
    }),
    plan: ({ plan }) => plan,
    prices: priceTable({ small: { input: '0.50', output: '2' }, large: { input: '3', output: '15' } }),
  });
  const store = new MemoryStore();
  const limiter = createLimiter<Job>({
    name: 'models',
    limits: llm.policy.limits,
    keyGenerator: ({ user }) => user,
    store,
  });
  return async () => {
    const user = Math.floor(40 * Math.random() ** 2);
    const job = {
      user: `user ${user}`,
      plan: PLANS[user % 2] as LlmPlan,
      model: MODELS[Math.random() < 0.7 ? 0 : 1] as string,
    };
    const reservation = await limiter.reserve(job);
    await llm.policy.extraHeaders(job, reservation);
    const admitted = llm.callOf(job);
    if (!admitted) return;
    const input = Math.floor(100 + 60 * Math.random());
    const output = Math.floor(1500 * Math.random() ** 2);
    const usage = { input, cacheRead: 0, cacheWrite: 0, output, reasoning: 0, complete: true };
    await llm.meter(reservation, admitted.call).settle(usage);
  };
}
