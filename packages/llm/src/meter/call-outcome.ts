import type { LlmCall } from '../call/llm-call.js';
import type { Usage } from '../usage/usage.js';

/**
 * How a call ended.
 *
 * - `'complete'`: the provider stated its final usage, however the call ended after that
 * - `'broken'`: the request was sent, and there was no answer, the stream broke, or the client left before a final usage
 * - `'refused'`: the provider answered with an error, 4xx or 5xx, and stated no usage
 * - `'unsent'`: the provider cannot have got the request: there was no connection to it, or the call was given up before
 * - `'abandoned'`: nobody read the answer, or nobody ended the call, within the longest hold
 */
export type CallEnd = 'complete' | 'broken' | 'refused' | 'unsent' | 'abandoned';

/** The end of a call, and the tokens that were reported or counted until then. */
export interface CallOutcome {
  readonly end: CallEnd;
  readonly usage: Usage;
  /** Of a batch: what each of its calls used that was answered. `usage` is their sum. */
  readonly parts?: readonly Usage[];
}

/** What a call is charged, and what it held. */
interface SettledCall {
  /** The amounts to settle a reservation with, by the names of the limits. A limit that is absent keeps what it was charged. */
  readonly amounts: Readonly<Record<string, number>>;
  /** What the call costs, in micro-dollars. Absent: nobody knows its price. */
  readonly microDollars?: number;
  /** What its limits held, of the tokens and the micro-dollars of one limit each. Absent: no limit counts them. */
  readonly held: { readonly tokens?: number; readonly microDollars?: number };
}

/**
 * Says how a call is settled.
 *
 * @param held - what the limits of the reservation were charged, by their names: see `heldBy`
 */
export type Settlement = (call: LlmCall, outcome: CallOutcome, held: Readonly<Record<string, number>>) => SettledCall;
