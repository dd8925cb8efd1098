// Why it is so: core/docs/why/calls-to-redis.md

import { type LimitCheck, SluiceError, type StoreRequest } from '@sluice/core';
import { checkSlotId, isRemembered } from '@sluice/core/store';
import { MOST_NUMERIC } from './generated/scripts.js';
import type { RedisKeys } from './redis-keys.js';
import { countableLimit, type ScriptedLimit } from './scripted-limit.js';

/**
 * The largest size of one call, in numeric checks. Redis does nothing else while it decides about them, which takes a
 * fifth of a millisecond.
 */
export const MAX_SIZE = 64;

/** A request, and what the steps of its way to Redis need of it: found once for all of them. The parts of limits are listed. */
export interface ScriptedRequest {
  readonly request: StoreRequest;
  /** The limit of each check. */
  readonly limits: readonly ScriptedLimit[];
  /** The keys of its states, and of its held reply. */
  readonly keys: readonly string[];
  /** Its algorithms, a bit for each. */
  readonly algorithmMask: number;
  /** Whether it may need no kernel: it only spends, on enforced limits that neither block nor count refusals. */
  readonly isNumeric: boolean;
  /**
   * How much of the size of a call it takes. If its reply is held, it takes all, because the held reply is that of the whole call.
   */
  readonly size: number;
}

/**
 * Returns a request as the script `consume` gets it. Refuses one that the script would fail on, because the other requests of its
 * call would fail, too. Also refuses slots that nobody could free.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED`, `SLUICE_COST`, `SLUICE_OPTION`
 */
export function scriptedRequest(request: StoreRequest, redisKeys: RedisKeys): ScriptedRequest {
  const { checks, atLeast, id } = request;
  if (atLeast !== undefined && !Number.isSafeInteger(atLeast)) throw notWhole(atLeast, 'atLeast');
  const limits = new Array<ScriptedLimit>(checks.length);
  const keys = new Array<string>(checks.length);
  let algorithmMask = 0;
  let shortSize = 0;
  let longSize = 0;
  for (let i = 0; i < checks.length; i += 1) {
    const check = checks[i] as LimitCheck;
    const limit = countableLimit(check.limit);
    if (!Number.isSafeInteger(check.cost)) throw notWhole(check.cost, 'a cost');
    if (limit.usesSlots) checkSlotId(check.limit, check.name, request);
    limits[i] = limit;
    keys[i] = redisKeys.state(check);
    algorithmMask |= limit.algorithmBit;
    shortSize += limit.shortSize;
    longSize += limit.longSize;
  }
  const isNumeric = isNumericRequest(request, limits);
  const isHeld = id !== undefined && isRemembered(request);
  if (isHeld && checks[0]) keys.push(redisKeys.id(checks[0], 'ask', id));
  const size = isHeld ? MAX_SIZE : Math.max(1, isNumeric ? shortSize : longSize);
  return { request, limits, keys, algorithmMask, isNumeric, size };
}

/**
 * Whether a request only spends, on enforced limits that `lua/numeric-path.lua` can decide about. None of them has parts, which are listed
 * as shadow checks.
 */
function isNumericRequest(
  { checks, peek, renew, atLeast, id, notAfterMs = 1 }: StoreRequest,
  limits: readonly ScriptedLimit[],
): boolean {
  if (peek || renew || atLeast !== undefined || id !== undefined) return false;
  if (checks.length === 0 || checks.length > MOST_NUMERIC) return false;
  if (notAfterMs < 1 || !Number.isSafeInteger(notAfterMs)) return false;
  for (let i = 0; i < checks.length; i += 1) {
    const { limit, cost, margin = 0, shadow, calendarBoundsMs } = checks[i] as LimitCheck;
    if (!limits[i]?.numeric || shadow || calendarBoundsMs || cost <= 0) return false;
    if (margin !== 0 && (Math.abs(margin) > limit.quota || !Number.isSafeInteger(margin + limit.quota))) return false;
  }
  return true;
}

function notWhole(units: number, what: string): SluiceError {
  return new SluiceError('SLUICE_COST', `${what} must be a safe integer, got ${units}`);
}
