import type { Decision, Limit, Verdict } from '@sluice/core';
import type { ServiceAnswer } from '../service/service.js';
import { CODES, type DescriptorStatus, type ProtobufDuration, UNITS, type Unit } from './rate-limit-response.js';

/** The largest number of a `uint32`. */
const MOST = 0xffff_ffff;

/** The status of a descriptor that was not asked, because one before it was refused. */
export const NOT_ASKED: DescriptorStatus = { code: CODES.UNKNOWN };

/** Returns what came out for a descriptor: the numbers are those of the tightest limit of its policy. */
export function descriptorStatus({ allowed, decision }: ServiceAnswer): DescriptorStatus {
  const code = allowed ? CODES.OK : CODES.OVER_LIMIT;
  if (!decision || !isCounted(decision)) return { code };
  const { tightest } = decision;
  const { name, limit } = tightest;
  return {
    code,
    currentLimit: { name, requestsPerUnit: Math.min(limit.quota, MOST), unit: unitOf(limit) },
    limitRemaining: tightest.allowed ? Math.min(tightest.remaining, MOST) : 0,
    durationUntilReset: durationOf(tightest.allowed ? tightest.resetAfterMs : tightest.retryAfterMs),
  };
}

/** Whether the numbers of the tightest limit are about this caller, and may be told. */
function isCounted({ source, tightest }: Decision): boolean {
  return source !== 'allow' && source !== 'deny' && isStated(tightest);
}

function isStated({ limit, shadow, marked }: Verdict): boolean {
  return limit.algorithm !== 'unlimited' && (shadow !== true || marked === true);
}

const BY_LENGTH: ReadonlyMap<number | undefined, Unit> = new Map([
  [1000, UNITS.SECOND],
  [60_000, UNITS.MINUTE],
  [3_600_000, UNITS.HOUR],
  [86_400_000, UNITS.DAY],
]);

function unitOf({ calendar, windowMs }: Limit): Unit {
  if (calendar?.unit === 'month') return UNITS.MONTH;
  return BY_LENGTH.get(windowMs) ?? UNITS.UNKNOWN;
}

function durationOf(ms: number | 'never'): ProtobufDuration | undefined {
  if (ms === 'never') return undefined;
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: (ms - seconds * 1000) * 1_000_000 };
}
