import type { Ask, Change, Check } from '@sluice/core';
import { sameCheck } from '@sluice/core/store';
import type { Argument } from './script.js';
import { limitText, type PlainLimit, scriptedLimit } from './scripted-limit.js';

const NONE = '';

/**
 * Returns the arguments of `lua/consume.lua`, without its keys. Consecutive asks that differ only in their keys share
 * one round.
 *
 * @param nowMs - undefined for the server's time
 */
export function consumeArguments(asks: readonly Ask[], nowMs: number | undefined): Argument[] {
  const args: Argument[] = [nowMs ?? NONE];
  const limits = new Limits(args);
  for (let i = 0; i < asks.length; ) {
    const first = asks[i] as Ask;
    let end = i + 1;
    while (end < asks.length && isLike(first, asks[end] as Ask)) end += 1;
    if (isPlainAsk(first)) pushPlainRound(args, first, end - i, limits);
    else pushRound(args, first, end - i, limits);
    i = end;
  }
  return args;
}

/** Returns the arguments of `lua/adjust.lua`, without its keys. */
export function adjustArguments(
  { checks, atMs, id, holdMs, notAfterMs }: Change,
  nowMs: number | undefined,
): Argument[] {
  const args: Argument[] = [nowMs ?? NONE, id ?? NONE, holdMs ?? NONE, notAfterMs ?? NONE, checks.length];
  const limits = new Limits(args);
  for (const check of checks) {
    limits.push(check);
    args.push(check.cost, check.atMs ?? atMs ?? NONE);
  }
  return args;
}

/** A round of plain asks, as `lua/plain.lua` reads it. */
function pushPlainRound(args: Argument[], ask: Ask, times: number, limits: Limits): void {
  const { checks, notAfterMs = NONE } = ask;
  let digits = '';
  for (let i = 0; i < checks.length; i += 1) digits += plainOf(checks[i] as Check).digit;
  args.push(times, digits, notAfterMs, checks.length);
  for (let i = 0; i < checks.length; i += 1) {
    const check = checks[i] as Check;
    const { quota, a, b, c } = plainOf(check);
    args.push(check.cost, check.margin ?? 0, quota, a, b, c);
    limits.push(check);
  }
}

function pushRound(args: Argument[], ask: Ask, times: number, limits: Limits): void {
  const { checks, notAfterMs = NONE } = ask;
  const mode = ask.peek ? 'peek' : ask.renew ? 'renew' : 'spend';
  args.push(times, mode, notAfterMs, checks.length, ask.atLeast ?? NONE, ask.id ?? NONE, heldMs(ask) ?? NONE);
  for (const check of checks) {
    limits.push(check);
    args.push(check.cost, check.shadow ? 1 : 0);
  }
}

function plainOf({ limit }: Check): PlainLimit {
  return scriptedLimit(limit).plain as PlainLimit;
}

/** Whether an ask may need no kernel: it only spends, on enforced limits that neither block nor count refusals. */
export function isPlainAsk({ checks, peek, renew, atLeast, id }: Ask): boolean {
  if (peek || renew || atLeast !== undefined || id !== undefined || checks.length === 0) return false;
  for (let i = 0; i < checks.length; i += 1) if (!isPlainCheck(checks[i] as Check)) return false;
  return true;
}

function isPlainCheck({ limit, cost, margin = 0, shadow, lend, edgesMs }: Check): boolean {
  if (shadow || lend !== undefined || edgesMs || cost <= 0 || Math.abs(margin) > limit.quota) return false;
  return scriptedLimit(limit).plain !== undefined;
}

/**
 * Returns how long the reply to an ask is held; undefined if it is not. A reply without an id could not be found again.
 */
export function heldMs({ id, holdMs = 0 }: Ask): number | undefined {
  return id !== undefined && holdMs > 0 ? holdMs : undefined;
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
  return sameCheck(one, other) && one.edgesMs === other.edgesMs;
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
