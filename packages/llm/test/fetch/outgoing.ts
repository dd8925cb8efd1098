import { createLimiter, type Limiter, MemoryStore, type Store } from '@sluice/core';
import { createLlm, type Hold, type LlmPlan, type PriceTable } from '@sluice/llm';
import { type OutgoingCall, type ProviderFetchOptions, providerFetch } from '@sluice/llm/fetch';
import type { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';

/** The calls of an application to one provider. */
export interface Outgoing {
  readonly fetch: typeof fetch;
  readonly limiter: Limiter<OutgoingCall>;
  /** What counts at each limit, for the key of a call. */
  used(call: OutgoingCall): Promise<Record<string, number>>;
}

/** How much is on its way between clients and the provider. */
export class Wire {
  inFlight = 0;

  /** A `fetch` whose answers have their bodies, so that the clock can stand until they have come. */
  readonly fetch: typeof fetch = async (input, init) => {
    this.inFlight += 1;
    try {
      const response = await fetch(input, init);
      const body = await response.arrayBuffer();
      return new Response(body, response);
    } finally {
      this.inFlight -= 1;
    }
  };
}

/** Sends calls by `providerFetch`, with the limits of a plan. */
export function outgoing(
  plan: LlmPlan,
  clock: QueueClock,
  options: ProviderFetchOptions & {
    readonly store?: Store;
    readonly prices?: PriceTable;
    readonly hold?: Hold;
  } = {},
): Outgoing & { readonly seen: OutgoingCall[] } {
  const { store = new MemoryStore({ clock }), hold = 'expected', ...others } = options;
  const seen: OutgoingCall[] = [];
  const llm = createLlm<[OutgoingCall]>({
    call: ({ body }) => body,
    plan: (call) => call.within(plan),
    clock,
    hold,
    ...(options.prices && { prices: options.prices }),
  });
  const limiter = createLimiter<OutgoingCall>({
    name: 'provider',
    store,
    limits: llm.policy.limits,
    keyGenerator: (call) => {
      if (!seen.includes(call)) seen.push(call);
      return call.key;
    },
  });
  return {
    fetch: providerFetch(limiter, { clock, random: () => 0, ...others }),
    limiter,
    seen,
    async used(call) {
      const { verdicts } = await limiter.peek(call);
      return Object.fromEntries(verdicts.map(({ name, used }) => [name, used]));
    },
  };
}

/** Lets time pass in steps while nothing is on its way, until the work has ended. */
export function runOver<T>(clock: QueueClock, wire: Wire, work: Promise<T>, stepMs = 100): Promise<T> {
  return runByClock(clock, work, stepMs, () => wire.inFlight === 0);
}

/** The arguments of a call of OpenAI's chat. */
export function chat(url: string, body: Readonly<Record<string, unknown>> = {}): [url: string, init: RequestInit] {
  const full = { model: 'gpt-5.6', messages: [{ role: 'user', content: 'hello' }], max_tokens: 100, ...body };
  const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
  return [`${url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(full) }];
}
