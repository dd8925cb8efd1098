/** What the numbers of an advice count. */
export type AdviceUnit =
  | 'requests'
  | 'tokens'
  | 'input-tokens'
  | 'output-tokens'
  | 'content-bytes'
  | 'concurrent-requests';

/**
 * What a server states about one of its limits in the header fields of a response. A number that the server does not state,
 * or that makes no sense, is absent.
 */
export interface Advice {
  /** The name of the policy, where the server names it. */
  readonly policy?: string;
  /** What the numbers count. Servers that do not say it count requests. */
  readonly unit: AdviceUnit;
  /** Units per window. 0: the server takes none at present. */
  readonly limit?: number;
  /** The length of the window in milliseconds. */
  readonly windowMs?: number;
  /** Units that are left. */
  readonly remaining?: number;
  /**
   * Milliseconds from the response until units come back: all of them, or, in draft 11, the stated ones. 0 if the moment
   * has passed.
   */
  readonly resetAfterMs?: number;
  /** The part of the limit that the numbers are for: `pk` of drafts 8 to 11. Bytes are in base64. */
  readonly partition?: string;
}
