import { channel } from 'node:diagnostics_channel';
import type { Format } from './dialects/format.js';

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

const DEGRADED = channel('sluice:llm-degraded');

/**
 * Publishes a `DegradedEvent` on the channel `sluice:llm-degraded`. Listen with `subscribe` of `node:diagnostics_channel`.
 */
export function publishDegraded(event: DegradedEvent): void {
  if (DEGRADED.hasSubscribers) DEGRADED.publish(event);
}

const WITHHELD = channel('sluice:llm-withheld-error');

/**
 * Publishes a `WithheldErrorEvent` on the channel `sluice:llm-withheld-error`. Listen with `subscribe` of `node:diagnostics_channel`.
 */
export function publishWithheldError(event: WithheldErrorEvent): void {
  if (WITHHELD.hasSubscribers) WITHHELD.publish(event);
}
