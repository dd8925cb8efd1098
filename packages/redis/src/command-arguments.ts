// Why it is so: core/docs/why/calls-to-redis.md

import type { Change, LimitCheck, StoreRequest } from '@sluice/core';
import { isRemembered, sameCheck, slotIdOf } from '@sluice/core/store';
import { LONG, MORE } from './generated/scripts.js';
import { packedNumber } from './packed-number.js';
import type { Argument } from './redis-driver.js';
import { limitText, NO_NUMBER, type NumericLimit, type ScriptedLimit, scriptedLimit } from './scripted-limit.js';
import type { ScriptedRequest } from './scripted-request.js';

const NONE = '';

/**
 * Returns the arguments of `lua/consume.lua`, without its keys. Consecutive requests that differ only in their keys share
 * one round. The parts of limits are listed, by `listParts`.
 */
export function consumeArguments(requests: readonly ScriptedRequest[]): Argument[] {
  const args: Argument[] = [];
  let limits: Limits | undefined;
  for (let i = 0; i < requests.length; ) {
    const first = requests[i] as ScriptedRequest;
    const end = first.isNumeric ? endOfNumericRound(requests, i) : endOfRound(requests, i);
    if (first.isNumeric) {
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
    limits.push(check, scriptedLimit(check.limit));
    args.push(check.cost, check.atMs ?? atMs ?? NONE);
  }
  return args;
}

/** The most requests of a round: their number has one byte. */
const MOST_REQUESTS = 127;

/** Returns a round of numeric requests, as `lua/numeric-path.lua` reads it. They differ only in their keys and costs. */
function numericRound(requests: readonly ScriptedRequest[], start: number, end: number): string {
  const { request: first, limits } = requests[start] as ScriptedRequest;
  const { checks, notAfterMs = Number.MAX_SAFE_INTEGER } = first;
  let isMixed = false;
  for (let i = start + 1; i < end && !isMixed; i += 1)
    isMixed = !haveSameCosts(first, (requests[i] as ScriptedRequest).request);
  let round = String.fromCharCode(checks.length, end - start, isMixed ? 1 : 0) + packedTime(notAfterMs);
  let texts = '';
  for (let i = 0; i < checks.length; i += 1) {
    const check = checks[i] as LimitCheck;
    const limit = limits[i] as ScriptedLimit;
    round += packedCheck(check, limit.numeric as NumericLimit);
    texts += `${i === 0 ? '' : '\n'}${limitText(check, limit)}`;
  }
  for (let i = start + 1; isMixed && i < end; i += 1) round += packedCosts((requests[i] as ScriptedRequest).request);
  return round + texts;
}

/** `MORE` marks a check with two more numbers. A cost from `LONG` on takes a number instead of a byte. */
function packedCheck({ limit, cost, margin }: LimitCheck, { algorithmCode, numbers, c }: NumericLimit): string {
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

function pushRound(args: Argument[], { request, limits: own }: ScriptedRequest, times: number, limits: Limits): void {
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
  for (let i = 0; i < checks.length; i += 1) {
    const check = checks[i] as LimitCheck;
    limits.push(check, own[i] as ScriptedLimit);
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
 * Returns how long the reply to a request is held; undefined if it is not. A reply without an id could not be found again.
 */
function heldMs(request: StoreRequest): number | undefined {
  return isRemembered(request) ? request.holdMs : undefined;
}

/** Returns the end of the requests from `start` on that differ only in their keys. */
function endOfRound(requests: readonly ScriptedRequest[], start: number): number {
  const { request: first } = requests[start] as ScriptedRequest;
  let end = start + 1;
  while (end < requests.length && isLike(first, (requests[end] as ScriptedRequest).request)) end += 1;
  return end;
}

/** Returns the end of the numeric requests from `start` on that differ only in their keys and costs. */
function endOfNumericRound(requests: readonly ScriptedRequest[], start: number): number {
  const { request: first } = requests[start] as ScriptedRequest;
  let end = start + 1;
  while (end < requests.length && end - start < MOST_REQUESTS && isNumericLike(first, requests[end] as ScriptedRequest))
    end += 1;
  return end;
}

function isNumericLike(numeric: StoreRequest, { request, isNumeric }: ScriptedRequest): boolean {
  if (!isNumeric || numeric.notAfterMs !== request.notAfterMs || numeric.checks.length !== request.checks.length)
    return false;
  for (let i = 0; i < numeric.checks.length; i += 1) {
    const { limit, margin } = numeric.checks[i] as LimitCheck;
    const check = request.checks[i] as LimitCheck;
    if (check.limit !== limit || (check.margin ?? 0) !== (margin ?? 0)) return false;
  }
  return true;
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

  push(check: LimitCheck, limit: ScriptedLimit): void {
    const text = limitText(check, limit);
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
