import type { OfficialResponse } from './official-client.js';
import type { RandomRequest } from './random-requests.js';

/** An answer, in protobuf's JSON form. */
export type JsonAnswer = Readonly<Record<string, unknown>>;

/** Returns the answer of a client that has the messages as objects in the JSON form of protobuf. */
export function jsonAnswer(response: OfficialResponse): JsonAnswer {
  const { overall_code, statuses, response_headers_to_add, raw_body, dynamic_metadata } = response;
  return {
    overallCode: overall_code,
    statuses: statuses.map(({ code, current_limit: limit, limit_remaining, duration_until_reset: reset }) => ({
      ...(code !== 'UNKNOWN' && { code }),
      ...(limit && {
        currentLimit: {
          name: limit.name,
          requestsPerUnit: limit.requests_per_unit,
          ...(limit.unit !== 'UNKNOWN' && { unit: limit.unit }),
        },
      }),
      ...(limit_remaining > 0 && { limitRemaining: limit_remaining }),
      ...(reset && { durationUntilReset: durationText(reset) }),
    })),
    ...(response_headers_to_add.length > 0 && {
      responseHeadersToAdd: response_headers_to_add.map(({ key, value }) => ({ key, value })),
    }),
    ...(raw_body.length > 0 && { rawBody: raw_body.toString('base64') }),
    ...(dynamic_metadata && { dynamicMetadata: plain({ structValue: dynamic_metadata as Struct }) }),
  };
}

function durationText({ seconds, nanos }: { readonly seconds: number; readonly nanos: number }): string {
  return nanos === 0 ? `${seconds}s` : `${seconds}.${String(nanos / 1e6).padStart(3, '0')}s`;
}

interface Struct {
  readonly fields: Readonly<Record<string, Value>>;
}

/** `google.protobuf.Value`. */
type Value = { readonly kind?: string } & Partial<{
  readonly structValue: Struct;
  readonly listValue: { readonly values: readonly Value[] };
  readonly stringValue: string;
  readonly numberValue: number;
}>;

function plain({ kind, structValue, listValue, stringValue, numberValue }: Value): unknown {
  if (structValue && (kind ?? 'structValue') === 'structValue') {
    return Object.fromEntries(Object.entries(structValue.fields).map(([name, value]) => [name, plain(value)]));
  }
  if (listValue) return listValue.values.map(plain);
  return stringValue || numberValue;
}

/** Returns a request of protobuf's JSON form as the object that the library takes. */
export function objectOf({ domain, descriptors, hitsAddend }: RandomRequest['request']): object {
  return {
    domain,
    ...(hitsAddend !== undefined && { hits_addend: hitsAddend }),
    descriptors: descriptors.map(({ entries, hitsAddend: hits }) => ({
      entries,
      ...(hits !== undefined && { hits_addend: { value: hits } }),
    })),
  };
}

/** Whether a request has what Envoy's older protocol files do not know. */
export function isNewer({ descriptors }: RandomRequest['request']): boolean {
  return descriptors.some(({ hitsAddend }) => hitsAddend !== undefined);
}
