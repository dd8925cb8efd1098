import type { Ask, Change, Check } from '@sluice/core';
import { sameCheck } from '@sluice/core/store';
import type { Argument } from './script.js';
import { limitText } from './scripted-limit.js';

const NONE = '';

/**
 * Returns the arguments of `lua/consume.lua`, without its keys. Consecutive asks that differ only in their keys share
 * one round.
 *
 * @param nowMs - undefined for the server's time
 */
export function consumeArguments(asks: readonly Ask[], nowMs: number | undefined): Argument[] {
  const args: Argument[] = [nowMs ?? NONE];
  const limits = new Limits();
  for (let i = 0; i < asks.length; ) {
    const first = asks[i] as Ask;
    let end = i + 1;
    while (end < asks.length && isLike(first, asks[end] as Ask)) end += 1;
    pushRound(args, first, end - i, limits);
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
  const limits = new Limits();
  for (const check of checks) args.push(limits.name(check), check.cost, check.atMs ?? atMs ?? NONE);
  return args;
}

function pushRound(args: Argument[], ask: Ask, times: number, limits: Limits): void {
  const { checks, notAfterMs = NONE } = ask;
  if (fitsShortForm(ask)) {
    args.push(times, 'short', notAfterMs, checks.length);
    for (const check of checks) args.push(limits.name(check), check.cost);
    return;
  }
  const mode = ask.peek ? 'peek' : ask.renew ? 'renew' : 'spend';
  args.push(times, mode, notAfterMs, checks.length, ask.atLeast ?? NONE, ask.id ?? NONE, heldMs(ask) ?? NONE);
  for (const check of checks) args.push(limits.name(check), check.cost, check.shadow ? 1 : 0);
}

/** Whether an ask fits the short form of the arguments: it spends on enforced limits, and nothing else. */
export function fitsShortForm({ checks, peek, renew, atLeast, id }: Ask): boolean {
  if (peek || renew || atLeast !== undefined || id !== undefined) return false;
  for (let i = 0; i < checks.length; i += 1) if ((checks[i] as Check).shadow) return false;
  return true;
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

/** The limits of one call. Each is sent in full the first time, and by its number after that. */
class Limits {
  #first: string | undefined;
  #numbers: Map<string, number> | undefined;

  name(check: Check): Argument {
    const text = limitText(check);
    if (this.#first === undefined) {
      this.#first = text;
      return text;
    }
    if (this.#first === text) return 1;
    this.#numbers ??= new Map();
    const number = this.#numbers.get(text);
    if (number !== undefined) return number;
    this.#numbers.set(text, this.#numbers.size + 2);
    return text;
  }
}
