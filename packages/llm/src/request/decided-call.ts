import type { Reservation } from '@sluice/core';
import type { LlmCall } from '../call/llm-call.js';

/** The tokens of a call that its limits hold until the call is settled. */
export interface HeldTokens {
  /** Tokens of the prompt. */
  readonly input: number;
  /** Tokens of the answer. */
  readonly output: number;
}

/** A call that the limits were asked about. */
export interface DecidedCall {
  /** The body, parsed. */
  readonly body: unknown;
  /** The body as the caller wrote it. Present if the option `call` returned text or bytes. */
  readonly text?: string;
  /** The form as the caller wrote it, if it is one. The body then has its fields. */
  readonly bytes?: Uint8Array;
  /** The call. Its model is the one that was reserved, which may be a cheaper one. */
  readonly call: LlmCall;
  /** The tokens that limits of tokens hold for it. */
  readonly held: HeldTokens;
  /** The most output tokens of each choice that the provider may be asked for. Present if a limit of the call holds the ceiling. */
  readonly sentCap?: number;
  /** The model that the caller asked for. Present if the limits admitted a cheaper one instead. */
  readonly degradedFrom?: string;
}

/** A call that the limits have admitted. */
export interface AdmittedCall extends DecidedCall {
  /** What the limits hold. A relay or a meter settles it. */
  readonly reservation: Reservation<boolean>;
}
