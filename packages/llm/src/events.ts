import { channel } from 'node:diagnostics_channel';

/** Published if a cheaper model was reserved, because the limits refused the one that was asked for. */
export interface DegradedEvent {
  /** The name of the policy. */
  readonly policy: string;
  /** The model that was asked for. */
  readonly from: string;
  /** The model that was reserved. */
  readonly to: string;
}

const DEGRADED = channel('sluice:llm-degraded');

/**
 * Publishes a `DegradedEvent` on the channel `sluice:llm-degraded`. Listen with `subscribe` of `node:diagnostics_channel`.
 */
export function publishDegraded(event: DegradedEvent): void {
  if (DEGRADED.hasSubscribers) DEGRADED.publish(event);
}
