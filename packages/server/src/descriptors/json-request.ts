import type { JsonRateLimitRequest } from './json-schema.js';
import type { Descriptor, DescriptorEntry, RateLimitRequest } from './rate-limit-request.js';
import { RequestMistake, type RequestPath } from './request-mistake.js';

type JsonDescriptor = NonNullable<JsonRateLimitRequest['descriptors']>[number];
type JsonEntry = NonNullable<JsonDescriptor['entries']>[number];

/**
 * Returns the request that a body of `POST /json` is.
 *
 * @throws RequestMistake if a number comes under both of its names
 */
export function requestOfJson(body: JsonRateLimitRequest): RateLimitRequest {
  return {
    domain: body.domain ?? '',
    descriptors: (body.descriptors ?? []).map(descriptorOf),
    hitsAddend: one(body.hitsAddend, body.hits_addend, ['hits_addend']) ?? 0,
  };
}

function descriptorOf(json: JsonDescriptor, index: number): Descriptor {
  const path = ['descriptors', index];
  const hits = one(json.hitsAddend, json.hits_addend, [...path, 'hits_addend']);
  return {
    entries: (json.entries ?? []).map(entryOf),
    limit: isPresent(json.limit) ? {} : null,
    hitsAddend: isPresent(hits) ? { value: hits } : null,
    isNegativeHits: one(json.isNegativeHits, json.is_negative_hits, [...path, 'is_negative_hits']) ?? false,
  };
}

function entryOf({ key, value }: JsonEntry): DescriptorEntry {
  return { key: key ?? '', value: value ?? '' };
}

/** Returns the value of a field that has two names. */
function one<T>(camelCase: T | null | undefined, snakeCase: T | null | undefined, path: RequestPath): T | undefined {
  if (!isPresent(camelCase)) return snakeCase ?? undefined;
  if (isPresent(snakeCase)) throw new RequestMistake(path, 'comes twice, under both of its names');
  return camelCase;
}

/** Null is as absent as nothing. */
function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
