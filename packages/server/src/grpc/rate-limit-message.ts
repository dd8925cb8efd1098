import type { MetadataValue, RateLimitResponse } from '../descriptors/rate-limit-response.js';
import type { RateLimitMessage } from './protocol.js';

/** Returns an answer as a message: the body as bytes, and the data as `google.protobuf.Struct`. */
export function rateLimitMessage(response: RateLimitResponse): RateLimitMessage {
  const { rawBody, dynamicMetadata } = response;
  if (rawBody === undefined && dynamicMetadata === undefined) return response;
  return {
    ...response,
    rawBody: rawBody === undefined ? undefined : Buffer.from(rawBody),
    dynamicMetadata: dynamicMetadata && structOf(dynamicMetadata),
  };
}

function structOf(data: Readonly<Record<string, MetadataValue>>): object {
  return { fields: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, protobufValue(value)])) };
}

function protobufValue(value: MetadataValue): object {
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return { listValue: { values: value.map(protobufValue) } };
}
