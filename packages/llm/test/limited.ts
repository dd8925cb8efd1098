import { createLimiter, type Decision, MemoryStore, type Reservation, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { createLlm, type LlmOptions, priceTable, type Usage } from '../src/index.js';

/** A call as a worker without HTTP has it. */
export interface Job {
  readonly user: string;
  readonly body: unknown;
}

/** Of gpt-5.6, a token of the prompt costs one micro-dollar, and one of the output ten. */
export const PRICES = priceTable(
  {
    'gpt-5.6': { input: '1', output: '10', maxOutput: 100_000 },
    'gpt-5.6-mini': { input: '0.1', output: '1' },
    free: { input: '0', output: '0' },
  },
  { aliases: { best: 'gpt-5.6' } },
);

/** Makes limits for calls, and a limiter of them. Money is held as expected, unless the options say otherwise. */
export function limited(options: Partial<LlmOptions<[Job]>>, clock = new ManualClock(), given?: Store) {
  const llm = createLlm<[Job]>({
    call: ({ body }) => body,
    plan: {},
    prices: PRICES,
    hold: 'expected',
    clock,
    ...options,
  });
  const store = given ?? new MemoryStore({ clock });
  const limits = llm.policy.limits;
  const limiter = createLimiter<Job>({ name: 'llm', limits, keyGenerator: ({ user }) => user, store });
  const job = (body: unknown = {}, user = 'ann'): Job => ({ user, body: bodyOf(body) });
  const reserve = async (body?: unknown, user?: string): Promise<Reservation<boolean>> =>
    limiter.reserve(job(body, user));
  return { llm, limiter, store, clock, job, reserve };
}

function bodyOf(body: unknown): unknown {
  const isObject = typeof body === 'object' && body !== null;
  return isObject ? { model: 'gpt-5.6', messages: [{ role: 'user', content: 'hello' }], ...body } : body;
}

/** What each limit was asked for. Counts of what is held are no limits. */
export function costsOf(decision: Pick<Decision, 'verdicts'>): Record<string, number> {
  return Object.fromEntries(limitsIn(decision).map(({ name, cost }) => [name, cost]));
}

/** What counts at each limit. */
export function usedOf(decision: Pick<Decision, 'verdicts'>): Record<string, number> {
  return Object.fromEntries(limitsIn(decision).map(({ name, used }) => [name, used]));
}

function limitsIn({ verdicts }: Pick<Decision, 'verdicts'>): Decision['verdicts'] {
  return verdicts.filter(({ quotaUnit }) => quotaUnit !== 'held-micro-dollars');
}

const NO_TOKENS: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, complete: true };

/** Settles a reservation with a usage that the provider stated. */
export async function settleWith(
  llm: ReturnType<typeof createLlm<[Job]>>,
  reservation: Reservation<boolean>,
  usage: Partial<Usage>,
  model = 'gpt-5.6',
  body: { readonly outputCap?: number } = {},
): Promise<void> {
  const call = { model, format: 'openai-chat', stream: false, input: 1, inputCeiling: 9, choices: 1, ...body } as const;
  await llm.meter(reservation, call).settle({ ...NO_TOKENS, ...usage });
}
