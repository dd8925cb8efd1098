import type { Duration, Reservation } from '@sluice/core';
import type { HttpOptions } from '@sluice/core/http';
import type { LlmCall } from './call/llm-call.js';
import type { Meter } from './meter/meter.js';
import type { LlmPlan } from './plan/llm-plan.js';
import type { NodeExchange, Send } from './relay/exchange.js';

/** Limits for calls of language models. `policy` goes into the options of any adapter. */
export interface Llm<A extends readonly unknown[]> {
  /** Spread it into `rateLimit({ name, store, keyGenerator, ...llm.policy })`. */
  readonly policy: Pick<
    HttpOptions<A>,
    'limits' | 'message' | 'statusCode' | 'extraHeaders' | 'onLimitReached' | 'onDecision'
  >;
  /** Follows a call that you send by yourself. */
  meter(reservation: Reservation<boolean>, call: LlmCall): Meter;
  /**
   * Sends the call of an admitted request, passes the answer on chunk by chunk, and settles the reservation. With a fetch
   * `Request` it resolves with the response to return.
   */
  relay(exchange: Request, send: Send): Promise<Response>;
  relay(exchange: NodeExchange, send: Send): Promise<void>;
  /** For `onLimitReached`: tries cheaper models in order, and calls the handler with the first that fits. */
  degrade(models: readonly string[], handler: (...args: A) => unknown): NonNullable<HttpOptions<A>['onLimitReached']>;
  /** The most that a key can use in a window, in flight included. */
  boundOf(plan: LlmPlan, window: Duration): { readonly tokens: number; readonly microDollars: number };
}
