/** `RateLimitResponse.Code`. */
export const CODES = { UNKNOWN: 0, OK: 1, OVER_LIMIT: 2 } as const;

/** `RateLimitResponse.RateLimit.Unit`. A window of another length is of unknown unit. */
export const UNITS = { UNKNOWN: 0, SECOND: 1, MINUTE: 2, HOUR: 3, DAY: 4, MONTH: 5, YEAR: 6 } as const;

type Code = (typeof CODES)[keyof typeof CODES];
export type Unit = (typeof UNITS)[keyof typeof UNITS];

/** The tightest limit of a descriptor's policy. */
export interface CurrentLimit {
  readonly name: string;
  readonly requestsPerUnit: number;
  readonly unit: Unit;
}

/** `google.protobuf.Duration`. */
export interface ProtobufDuration {
  readonly seconds: number;
  readonly nanos: number;
}

/** The result for one descriptor. */
export interface DescriptorStatus {
  /** `UNKNOWN` for a descriptor that was not asked, because one before it was refused. */
  readonly code: Code;
  /** Absent if no limit counted the request. */
  readonly currentLimit?: CurrentLimit;
  readonly limitRemaining?: number;
  /** Until the limit is full again; if the descriptor is refused: until the same request would be allowed. */
  readonly durationUntilReset?: ProtobufDuration | undefined;
}

/** A header field. */
export interface HeaderValue {
  readonly key: string;
  readonly value: string;
}

/** A value in the data for other filters. */
export type MetadataValue = number | string | readonly string[];

/** The answer: `envoy.service.ratelimit.v3.RateLimitResponse`. */
export interface RateLimitResponse {
  readonly overallCode: Code;
  /** One for each descriptor, in their order. */
  readonly statuses: readonly DescriptorStatus[];
  readonly responseHeadersToAdd: readonly HeaderValue[];
  /** The body of a refusal. */
  readonly rawBody?: string | undefined;
  /** Absent if there is nothing to tell. */
  readonly dynamicMetadata?: Readonly<Record<string, MetadataValue>> | undefined;
}
