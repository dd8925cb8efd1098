import { channel } from 'node:diagnostics_channel';
import { tierOf } from './call/call-tier.js';
import type { LlmCall } from './call/llm-call.js';
import type { Format } from './dialects/format.js';
import type { CallEnd } from './meter/call-outcome.js';
import type { Usage } from './usage/usage.js';

/** Published if a cheaper model was reserved, because the limits refused the one that was asked for. */
export interface DegradedEvent {
  /** The name of the policy. */
  readonly policy: string;
  /** The model that was asked for. */
  readonly from: string;
  /** The model that was reserved. */
  readonly to: string;
}

/** Published if a provider's error speaks of the account of the gateway. The client has got a neutral one instead. */
export interface WithheldErrorEvent {
  /** The model of the call, as it was sent. */
  readonly model: string;
  /** The dialect of the call. */
  readonly format: Format;
  /** The status of the provider's answer. */
  readonly status: number;
  /** The body of the provider's answer, at most 64 KB; empty if it was longer, or broke off. */
  readonly body: string;
}

/** Published once for each call, when it was settled: whatever made its limits, and however it ended. */
export interface SettledEvent {
  /** The name of the policy. */
  readonly policy: string;
  /** The name of the caller's plan. Absent: it has none. */
  readonly tier?: string;
  /** The call as it was sent. Its `input` is the estimate of the prompt. */
  readonly call: LlmCall;
  /** How it ended. */
  readonly end: CallEnd;
  /** The tokens that were reported or counted until then. */
  readonly usage: Usage;
  /** What it is charged, in micro-dollars. Absent: there are no prices. */
  readonly microDollars?: number;
  /**
   * What its limits held until now: the tokens of a limit that counts tokens, and the micro-dollars of one that counts money. Absent: no
   * limit counts them.
   */
  readonly held: { readonly tokens?: number; readonly microDollars?: number };
}

const DEGRADED = channel('sluice:llm-degraded');
const SETTLED = channel('sluice:llm-settled');
const WITHHELD = channel('sluice:llm-withheld-error');

/**
 * Publishes a `DegradedEvent` on the channel `sluice:llm-degraded`. Listen with `subscribe` of `node:diagnostics_channel`.
 */
export function publishDegraded(event: DegradedEvent): void {
  if (DEGRADED.hasSubscribers) DEGRADED.publish(event);
}

/**
 * Publishes a `WithheldErrorEvent` on the channel `sluice:llm-withheld-error`. Listen with `subscribe` of `node:diagnostics_channel`.
 */
export function publishWithheldError(event: WithheldErrorEvent): void {
  if (WITHHELD.hasSubscribers) WITHHELD.publish(event);
}

/**
 * Publishes a `SettledEvent` on the channel `sluice:llm-settled`. It has no key of a caller, so that metrics of it may be kept.
 */
export function publishSettled(event: Omit<SettledEvent, 'tier'>): void {
  if (!SETTLED.hasSubscribers) return;
  const tier = tierOf(event.call);
  SETTLED.publish((tier === undefined ? event : { ...event, tier }) satisfies SettledEvent);
}
