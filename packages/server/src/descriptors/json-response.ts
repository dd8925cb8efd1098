import {
  CODES,
  type CurrentLimit,
  type DescriptorStatus,
  type ProtobufDuration,
  type RateLimitResponse,
  UNITS,
} from './rate-limit-response.js';

/** Returns an answer in protobuf's JSON form: enums by name, bytes in base64, and nothing that is 0. */
export function jsonOfResponse(response: RateLimitResponse): object {
  const { overallCode, statuses, responseHeadersToAdd, rawBody, dynamicMetadata } = response;
  return {
    overallCode: nameOf(CODES, overallCode),
    statuses: statuses.map(jsonOfStatus),
    ...(responseHeadersToAdd.length > 0 && { responseHeadersToAdd }),
    ...(rawBody !== undefined && { rawBody: Buffer.from(rawBody).toString('base64') }),
    ...(dynamicMetadata && { dynamicMetadata }),
  };
}

function jsonOfStatus({ code, currentLimit, limitRemaining, durationUntilReset }: DescriptorStatus): object {
  return {
    ...(code !== CODES.UNKNOWN && { code: nameOf(CODES, code) }),
    ...(currentLimit && { currentLimit: jsonOfLimit(currentLimit) }),
    ...(limitRemaining && { limitRemaining }),
    ...(durationUntilReset && { durationUntilReset: durationText(durationUntilReset) }),
  };
}

function jsonOfLimit({ requestsPerUnit, unit, name }: CurrentLimit): object {
  return {
    ...(requestsPerUnit > 0 && { requestsPerUnit }),
    ...(unit !== UNITS.UNKNOWN && { unit: nameOf(UNITS, unit) }),
    name,
  };
}

/** `34s`, or `0.500s` if it is no whole second. */
function durationText({ seconds, nanos }: ProtobufDuration): string {
  return nanos === 0 ? `${seconds}s` : `${seconds}.${String(nanos / 1_000_000).padStart(3, '0')}s`;
}

function nameOf<T extends Readonly<Record<string, number>>>(names: T, value: T[keyof T]): string {
  return Object.entries(names).find(([, own]) => own === value)?.[0] as string;
}
