// Why it is so: core/docs/why/calls-to-redis.md

import type { Change, LimitCheck, StoreRequest } from '@sluice/core';
import { isRemembered, sameCheck, slotIdOf } from '@sluice/core/store';
import { packedNumber } from './packed-number.js';
import type { Argument } from './script.js';
import { limitText, NO_NUMBER, type NumericLimit, scriptedLimit } from './scripted-limit.js';

const NONE = '';

/**
 * Returns the arguments of `lua/consume.lua`, without its keys. Consecutive requests that differ only in their keys share
 * one round. The parts of limits are listed, by `listParts`.
 */
export function consumeArguments(requests: readonly StoreRequest[]): Argument[] {
  const args: Argument[] = [];
  let limits: Limits | undefined;
  for (let i = 0; i < requests.length; ) {
    const first = requests[i] as StoreRequest;
    const isNumeric = isNumericRequest(first);
    const end = isNumeric ? endOfNumericRound(requests, i) : endOfRound(requests, i);
    if (isNumeric) {
      args.push(numericRound(requests, i, end));
    } else {
      limits ??= new Limits(args);
      pushRound(args, first, end - i, limits);
    }
    i = end;
  }
  return args;
}

/** Returns the arguments of `lua/adjust.lua`, without its keys. The parts of limits are listed. */
export function adjustArguments(change: Change): Argument[] {
  const { checks, atMs, id, keptUntilMs, notAfterMs, unspent, givesBack } = change;
  const once = [id ?? NONE, keptUntilMs ?? NONE, notAfterMs ?? NONE];
  const args: Argument[] = [...once, unspent ? 1 : NONE, givesBack ? 1 : NONE, checks.length];
  const limits = new Limits(args);
  for (const check of checks) {
    limits.push(check);
    args.push(check.cost, check.atMs ?? atMs ?? NONE);
  }
  return args;
}

/** The most checks of a numeric request, and asks of a round: both have one byte, which begins no other round. */
const MOST_CHECKS = 31;
const MOST_ASKS = 127;

/** Marks a check with two more numbers, and a cost from this on takes a number instead of a byte: as in `lua/build.mjs`. */
const MORE = 8;
const LONG = 127;

/** Returns a round of numeric requests, as `lua/numeric-path.lua` reads it. They differ only in their keys and costs. */
function numericRound(requests: readonly StoreRequest[], start: number, end: number): string {
  const first = requests[start] as StoreRequest;
  const { checks, notAfterMs = Number.MAX_SAFE_INTEGER } = first;
  let isMixed = false;
  for (let i = start + 1; i < end && !isMixed; i += 1) isMixed = !haveSameCosts(first, requests[i] as StoreRequest);
  let round = String.fromCharCode(checks.length, end - start, isMixed ? 1 : 0) + packedTime(notAfterMs);
  for (let i = 0; i < checks.length; i += 1) round += packedCheck(checks[i] as LimitCheck);
  for (let i = start + 1; isMixed && i < end; i += 1) round += packedCosts(requests[i] as StoreRequest);
  round += limitText(checks[0] as LimitCheck);
  for (let i = 1; i < checks.length; i += 1) round += `\n${limitText(checks[i] as LimitCheck)}`;
  return round;
}

function packedCheck({ limit, cost, margin }: LimitCheck): string {
  const { algorithmCode, numbers, c } = scriptedLimit(limit).numeric as NumericLimit;
  const isLong = cost >= LONG;
  const isMore = margin || c !== NO_NUMBER;
  const bytes = String.fromCharCode(isMore ? algorithmCode + MORE : algorithmCode, isLong ? LONG : cost) + numbers;
  if (!isMore && !isLong) return bytes;
  const more = isMore ? packedNumber(c - NO_NUMBER) + packedNumber((margin ?? 0) + limit.quota) : '';
  return bytes + more + (isLong ? packedNumber(cost) : '');
}

function packedCosts({ checks }: StoreRequest): string {
  let costs = '';
  for (let i = 0; i < checks.length; i += 1) {
    const { cost } = checks[i] as LimitCheck;
    costs += cost < LONG ? String.fromCharCode(cost) : String.fromCharCode(LONG) + packedNumber(cost);
  }
  return costs;
}

/** Many calls have the same deadline as the one before. */
let lastTimeMs = 0;
let lastTime = packedNumber(0);

function packedTime(timeMs: number): string {
  if (timeMs !== lastTimeMs) {
    lastTime = packedNumber(timeMs);
    lastTimeMs = timeMs;
  }
  return lastTime;
}

function pushRound(args: Argument[], request: StoreRequest, times: number, limits: Limits): void {
  const { checks, notAfterMs = NONE, atLeast = NONE } = request;
  const slotId = slotIdOf(request) ?? NONE;
  args.push(
    times,
    modeOf(request),
    notAfterMs,
    checks.length,
    atLeast,
    slotId,
    heldMs(request) ?? NONE,
    namingOf(request),
  );
  for (const check of checks) {
    limits.push(check);
    args.push(check.cost, check.shadow ? 1 : 0);
  }
}

/** Says whether the id of a request names an attempt, and whether other attempts that were admitted are repeated. */
function namingOf({ attempt, onlyAttempt }: StoreRequest): Argument {
  if (attempt === undefined) return NONE;
  return onlyAttempt ? 'only' : 'any';
}

function modeOf({ peek, renew }: StoreRequest): string {
  if (peek) return peek === 'refused' ? 'refuse' : 'peek';
  if (!renew) return 'spend';
  return renew === 'held' ? 'keep' : 'renew';
}

/**
 * Whether a request may need no kernel: it only spends, on enforced limits that neither block nor count refusals. No limit has parts,
 * which are listed as shadow checks.
 */
export function isNumericRequest({ checks, peek, renew, atLeast, id, notAfterMs = 1 }: StoreRequest): boolean {
  if (peek || renew || atLeast !== undefined || id !== undefined) return false;
  if (checks.length === 0 || checks.length > MOST_CHECKS || notAfterMs < 1 || !Number.isSafeInteger(notAfterMs))
    return false;
  for (let i = 0; i < checks.length; i += 1) if (!isNumericCheck(checks[i] as LimitCheck)) return false;
  return true;
}

function isNumericCheck({ limit, cost, margin = 0, shadow, calendarBoundsMs }: LimitCheck): boolean {
  if (shadow || calendarBoundsMs || cost <= 0) return false;
  if (margin !== 0 && (Math.abs(margin) > limit.quota || !Number.isSafeInteger(margin + limit.quota))) return false;
  return scriptedLimit(limit).numeric !== undefined;
}

/**
 * Returns how long the reply to a request is held; undefined if it is not. A reply without an id could not be found again.
 */
export function heldMs(request: StoreRequest): number | undefined {
  return isRemembered(request) ? request.holdMs : undefined;
}

/** Returns the end of the requests from `start` on that differ only in their keys. */
function endOfRound(requests: readonly StoreRequest[], start: number): number {
  let end = start + 1;
  while (end < requests.length && isLike(requests[start] as StoreRequest, requests[end] as StoreRequest)) end += 1;
  return end;
}

/** Returns the end of the numeric requests from `start` on that differ only in their keys and costs. */
function endOfNumericRound(requests: readonly StoreRequest[], start: number): number {
  const first = requests[start] as StoreRequest;
  let end = start + 1;
  while (end < requests.length && end - start < MOST_ASKS && isNumericLike(first, requests[end] as StoreRequest))
    end += 1;
  return end;
}

function isNumericLike(numeric: StoreRequest, other: StoreRequest): boolean {
  if (numeric.notAfterMs !== other.notAfterMs || numeric.checks.length !== other.checks.length) return false;
  for (let i = 0; i < numeric.checks.length; i += 1) {
    const { limit, margin } = numeric.checks[i] as LimitCheck;
    const check = other.checks[i] as LimitCheck;
    if (check.limit !== limit || (check.margin ?? 0) !== (margin ?? 0)) return false;
  }
  return isNumericRequest(other);
}

function haveSameCosts(one: StoreRequest, other: StoreRequest): boolean {
  for (let i = 0; i < one.checks.length; i += 1)
    if ((one.checks[i] as LimitCheck).cost !== (other.checks[i] as LimitCheck).cost) return false;
  return true;
}

/** Whether two requests differ only in their keys. */
function isLike(one: StoreRequest, other: StoreRequest): boolean {
  if (one.id !== undefined || other.id !== undefined) return false;
  if (one.notAfterMs !== other.notAfterMs || one.atLeast !== other.atLeast) return false;
  if (one.peek !== other.peek || one.renew !== other.renew || one.checks.length !== other.checks.length) return false;
  for (let i = 0; i < one.checks.length; i += 1)
    if (!isLikeCheck(one.checks[i] as LimitCheck, other.checks[i] as LimitCheck)) return false;
  return true;
}

function isLikeCheck(one: LimitCheck, other: LimitCheck): boolean {
  return sameCheck(one, other) && one.calendarBoundsMs === other.calendarBoundsMs;
}

/** The limits of one call. Each is sent in full the first time, and by the position of that text after that. */
class Limits {
  readonly #args: Argument[];
  #first: string | undefined;
  #firstAt = 0;
  #positions: Map<string, number> | undefined;

  constructor(args: Argument[]) {
    this.#args = args;
  }

  push(check: LimitCheck): void {
    const text = limitText(check);
    // Lua counts from 1.
    const position = this.#args.length + 1;
    if (this.#first === undefined) {
      this.#first = text;
      this.#firstAt = position;
      this.#args.push(text);
      return;
    }
    if (this.#first === text) {
      this.#args.push(this.#firstAt);
      return;
    }
    this.#positions ??= new Map();
    const known = this.#positions.get(text);
    if (known === undefined) this.#positions.set(text, position);
    this.#args.push(known ?? text);
  }
}
