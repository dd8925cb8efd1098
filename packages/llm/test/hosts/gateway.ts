import { type Decision, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import type { LlmOptions, Send } from '../../src/index.js';
import { createFakeProvider, type FakeAnswer, type FakeProvider } from '../../src/testing/index.js';
import type { Gateway, StartGateway } from './hosts.js';

/** The limits of all clients together. No call of the tests meets them. */
export const PLAN = { rpm: 10_000, tpm: 10_000_000, parallel: 1000 };

/** The answer of the provider, unless a test plans another. */
export const ANSWER: FakeAnswer = { input: 12, output: 5 };

/** A gateway on a host, in front of a fake provider, on a manual clock. */
export class RunningGateway {
  readonly clock: ManualClock;
  readonly provider: FakeProvider;
  readonly #store: MemoryStore;
  readonly #gateway: Gateway;
  readonly #decisions: readonly Decision[];
  #looks = 0;

  private constructor(parts: {
    clock: ManualClock;
    store: MemoryStore;
    provider: FakeProvider;
    gateway: Gateway;
    decisions: readonly Decision[];
  }) {
    this.clock = parts.clock;
    this.provider = parts.provider;
    this.#store = parts.store;
    this.#gateway = parts.gateway;
    this.#decisions = parts.decisions;
  }

  /** Without `send`, calls go to the provider, with its key. */
  static async start(
    start: StartGateway,
    limits: Partial<LlmOptions<readonly unknown[]>> = {},
    { send, degrade }: { readonly send?: Send; readonly degrade?: readonly string[] } = {},
  ): Promise<RunningGateway> {
    const clock = new ManualClock();
    const store = new MemoryStore({ clock });
    const provider = await createFakeProvider({ answer: ANSWER, clock });
    const decisions: Decision[] = [];
    const sendOn: Send = (body, signal, { format }) =>
      fetch(`${provider.url}${PATHS[format as keyof typeof PATHS]}`, {
        method: 'POST',
        body,
        signal,
        headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
      });
    const gateway = await start({
      store,
      limits: { plan: PLAN, clock, ...limits },
      send: send ?? sendOn,
      onDecision: (decision) => decisions.push(decision),
      degrade,
    });
    return new RunningGateway({ clock, store, provider, gateway, decisions });
  }

  get url(): string {
    return this.#gateway.url;
  }

  /** Sends a call as a client without an SDK does. */
  post(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${this.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers, ...init });
  }

  /** What the limits count, by their names. One more call finds it out, which is not in it, and neither are those before. */
  async used(): Promise<Readonly<Record<string, number>>> {
    this.#looks += 1;
    this.provider.next({ refuse: { status: 429 } });
    await (await this.post('/v1/embeddings', { model: 'small', input: 'Hi' })).text();
    const { verdicts = [] } = this.#decisions.at(-1) ?? {};
    const looksOf = (name: string): number => (name === 'rpm' ? this.#looks - 1 : 0);
    return Object.fromEntries(verdicts.map(({ name, used, cost }) => [name, used - cost - looksOf(name)]));
  }

  async close(): Promise<void> {
    await this.#gateway.close();
    await this.provider.close();
    this.#store.close();
  }
}

/** The endpoint of each dialect. */
export const PATHS = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'openai-completions': '/v1/completions',
  'openai-embeddings': '/v1/embeddings',
  'anthropic-messages': '/v1/messages',
} as const;
