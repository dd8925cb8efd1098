import type { JsonObject } from '../json-object.js';

/**
 * Why a client gets an error.
 *
 * - `'rate'`, `'budget'`, `'size'`, `'blocked'`, `'unavailable'`: a refusal of ours, see `RefusalKind`
 * - `'invalid'`: the request is no call
 * - `'unreachable'`, `'timeout'`: the provider gave no answer that can be passed on
 */
export type ErrorKind = 'rate' | 'budget' | 'size' | 'blocked' | 'unavailable' | 'invalid' | 'unreachable' | 'timeout';

/** An error for a client, in no dialect yet. */
export interface ClientError {
  readonly kind: ErrorKind;
  readonly status: number;
  readonly message: string;
  /** What the limit counts that refused. */
  readonly counts?: 'requests' | 'tokens';
  /** The field of the body that is wrong. */
  readonly field?: string;
  /** Milliseconds until it makes sense to come again, if that is known. */
  readonly retryAfterMs?: number;
}

/** What a header field can count. */
export type CountedByFields = 'requests' | 'tokens' | 'input' | 'output';

/** The state of one limit, for header fields. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAfterMs: number | 'never';
}

/** Header fields by their names. */
export type Fields = Record<string, string | number | undefined>;

/** How a vendor's APIs state errors and limits. Several dialects share one. */
export interface Vendor {
  readonly name: VendorName;
  /** Returns the body of an error. */
  errorBody(error: ClientError): JsonObject;
  /** Returns the header fields that state the limits of a minute. */
  limitFields(limits: Readonly<Partial<Record<CountedByFields, LimitState>>>, nowMs: number): Fields;
}

/** The vendors whose errors and fields Sluice writes. */
export type VendorName = (typeof VENDOR_NAMES)[number];

export const VENDOR_NAMES = ['openai', 'anthropic', 'google', 'aws'] as const;
