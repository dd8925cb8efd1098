// Why it is so: core/docs/why/calls-to-redis.md

import type { Ask, Change, Check } from '@sluice/core';
import { isRemembered, sameCheck, slotIdOf } from '@sluice/core/store';
import { packedNumber } from './packed-number.js';
import type { Argument } from './script.js';
import { limitText, NO_NUMBER, type NumericLimit, scriptedLimit } from './scripted-limit.js';

const NONE = '';

/**
 * Returns the arguments of `lua/consume.lua`, without its keys. Consecutive asks that differ only in their keys share
 * one round.
 */
export function consumeArguments(asks: readonly Ask[]): Argument[] {
  const args: Argument[] = [];
  let limits: Limits | undefined;
  for (let i = 0; i < asks.length; ) {
    const first = asks[i] as Ask;
    const isNumeric = isNumericAsk(first);
    const end = isNumeric ? endOfNumericRound(asks, i) : endOfRound(asks, i);
    if (isNumeric) {
      args.push(numericRound(asks, i, end));
    } else {
      limits ??= new Limits(args);
      pushRound(args, first, end - i, limits);
    }
    i = end;
  }
  return args;
}

/** Returns the arguments of `lua/adjust.lua`, without its keys. */
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

/** The most checks of a numeric ask, and asks of a round: both have one byte, which begins no other round. */
const MOST_CHECKS = 31;
const MOST_ASKS = 127;

/** Marks a check with two more numbers, and a cost from this on takes a number instead of a byte: as in `lua/build.mjs`. */
const MORE = 8;
const LONG = 127;

/** Returns a round of numeric asks, as `lua/numeric-path.lua` reads it. They differ only in their keys and costs. */
function numericRound(asks: readonly Ask[], start: number, end: number): string {
  const first = asks[start] as Ask;
  const { checks, notAfterMs = Number.MAX_SAFE_INTEGER } = first;
  let isMixed = false;
  for (let i = start + 1; i < end && !isMixed; i += 1) isMixed = !haveSameCosts(first, asks[i] as Ask);
  let round = String.fromCharCode(checks.length, end - start, isMixed ? 1 : 0) + packedTime(notAfterMs);
  for (let i = 0; i < checks.length; i += 1) round += packedCheck(checks[i] as Check);
  for (let i = start + 1; isMixed && i < end; i += 1) round += packedCosts(asks[i] as Ask);
  round += limitText(checks[0] as Check);
  for (let i = 1; i < checks.length; i += 1) round += `\n${limitText(checks[i] as Check)}`;
  return round;
}

function packedCheck({ limit, cost, margin }: Check): string {
  const { algorithmCode, numbers, c } = scriptedLimit(limit).numeric as NumericLimit;
  const isLong = cost >= LONG;
  const isMore = margin || c !== NO_NUMBER;
  const bytes = String.fromCharCode(isMore ? algorithmCode + MORE : algorithmCode, isLong ? LONG : cost) + numbers;
  if (!isMore && !isLong) return bytes;
  const more = isMore ? packedNumber(c - NO_NUMBER) + packedNumber((margin ?? 0) + limit.quota) : '';
  return bytes + more + (isLong ? packedNumber(cost) : '');
}

function packedCosts({ checks }: Ask): string {
  let costs = '';
  for (let i = 0; i < checks.length; i += 1) {
    const { cost } = checks[i] as Check;
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

function pushRound(args: Argument[], ask: Ask, times: number, limits: Limits): void {
  const { checks, notAfterMs = NONE, atLeast = NONE } = ask;
  const slotId = slotIdOf(ask) ?? NONE;
  args.push(times, modeOf(ask), notAfterMs, checks.length, atLeast, slotId, heldMs(ask) ?? NONE, namingOf(ask));
  for (const check of checks) {
    limits.push(check);
    args.push(check.cost, check.shadow ? 1 : 0);
  }
}

/** Says whether the id of an ask names an attempt, and whether other attempts that were admitted are repeated. */
function namingOf({ attempt, onlyAttempt }: Ask): Argument {
  if (attempt === undefined) return NONE;
  return onlyAttempt ? 'only' : 'any';
}

function modeOf({ peek, renew }: Ask): string {
  if (peek) return peek === 'refused' ? 'refuse' : 'peek';
  if (!renew) return 'spend';
  return renew === 'held' ? 'keep' : 'renew';
}

/** Whether an ask may need no kernel: it only spends, on enforced limits that neither block nor count refusals. */
export function isNumericAsk({ checks, peek, renew, atLeast, id, notAfterMs = 1 }: Ask): boolean {
  if (peek || renew || atLeast !== undefined || id !== undefined) return false;
  if (checks.length === 0 || checks.length > MOST_CHECKS || notAfterMs < 1 || !Number.isSafeInteger(notAfterMs))
    return false;
  for (let i = 0; i < checks.length; i += 1) if (!isNumericCheck(checks[i] as Check)) return false;
  return true;
}

function isNumericCheck({ limit, cost, margin = 0, shadow, lend, calendarBoundsMs }: Check): boolean {
  if (shadow || lend !== undefined || calendarBoundsMs || cost <= 0) return false;
  if (margin !== 0 && (Math.abs(margin) > limit.quota || !Number.isSafeInteger(margin + limit.quota))) return false;
  return scriptedLimit(limit).numeric !== undefined;
}

/**
 * Returns how long the reply to an ask is held; undefined if it is not. A reply without an id could not be found again.
 */
export function heldMs(ask: Ask): number | undefined {
  return isRemembered(ask) ? ask.holdMs : undefined;
}

/** Returns the end of the asks from `start` on that differ only in their keys. */
function endOfRound(asks: readonly Ask[], start: number): number {
  let end = start + 1;
  while (end < asks.length && isLike(asks[start] as Ask, asks[end] as Ask)) end += 1;
  return end;
}

/** Returns the end of the numeric asks from `start` on that differ only in their keys and costs. */
function endOfNumericRound(asks: readonly Ask[], start: number): number {
  const first = asks[start] as Ask;
  let end = start + 1;
  while (end < asks.length && end - start < MOST_ASKS && isNumericLike(first, asks[end] as Ask)) end += 1;
  return end;
}

function isNumericLike(numeric: Ask, other: Ask): boolean {
  if (numeric.notAfterMs !== other.notAfterMs || numeric.checks.length !== other.checks.length) return false;
  for (let i = 0; i < numeric.checks.length; i += 1) {
    const { limit, margin } = numeric.checks[i] as Check;
    const check = other.checks[i] as Check;
    if (check.limit !== limit || (check.margin ?? 0) !== (margin ?? 0)) return false;
  }
  return isNumericAsk(other);
}

function haveSameCosts(one: Ask, other: Ask): boolean {
  for (let i = 0; i < one.checks.length; i += 1)
    if ((one.checks[i] as Check).cost !== (other.checks[i] as Check).cost) return false;
  return true;
}

/** Whether two asks differ only in their keys. */
function isLike(one: Ask, other: Ask): boolean {
  if (one.id !== undefined || other.id !== undefined) return false;
  if (one.notAfterMs !== other.notAfterMs || one.atLeast !== other.atLeast) return false;
  if (one.peek !== other.peek || one.renew !== other.renew || one.checks.length !== other.checks.length) return false;
  for (let i = 0; i < one.checks.length; i += 1)
    if (!isLikeCheck(one.checks[i] as Check, other.checks[i] as Check)) return false;
  return true;
}

function isLikeCheck(one: Check, other: Check): boolean {
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

  push(check: Check): void {
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
