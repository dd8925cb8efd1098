import type { Ask, Change, Check } from '@sluice/core';
import { limitText } from './limit-text.js';

type Argument = string | number;

const NONE = '';

/** What every script is told first: the time, unless the server's is meant, and what a key lives at least. */
export interface Terms {
  readonly nowMs: number | undefined;
  readonly leastTtlMs: number;
}

/** The arguments of `lua/consume.lua`, but for its keys. Questions in a row that differ in their keys alone are told once. */
export function consumeArguments(asks: readonly Ask[], terms: Terms): Argument[] {
  const args = beginning(terms);
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

/** The arguments of `lua/adjust.lua`, but for its keys. */
export function adjustArguments(change: Change, terms: Terms): Argument[] {
  const args = beginning(terms);
  args.push(change.atMs ?? NONE, change.id ?? NONE, change.notAfterMs ?? NONE);
  pushChecks(args, change.checks, new Limits());
  return args;
}

function beginning({ nowMs, leastTtlMs }: Terms): Argument[] {
  return [nowMs ?? NONE, leastTtlMs];
}

function pushRound(args: Argument[], ask: Ask, times: number, limits: Limits): void {
  const mode = ask.look ? 'look' : ask.renew ? 'renew' : 'spend';
  args.push(times, mode, ask.notAfterMs ?? NONE, ask.atLeast ?? NONE, ask.id ?? NONE, ask.holdMs ?? NONE);
  pushChecks(args, ask.checks, limits);
}

function pushChecks(args: Argument[], checks: readonly Check[], limits: Limits): void {
  args.push(checks.length);
  for (const check of checks) args.push(limits.name(check), check.cost, check.shadow ? 1 : 0);
}

function isLike(one: Ask, other: Ask): boolean {
  if (one.id !== undefined || other.id !== undefined || one.holdMs !== undefined || other.holdMs !== undefined)
    return false;
  if (one.notAfterMs !== other.notAfterMs || one.atLeast !== other.atLeast) return false;
  if (one.look !== other.look || one.renew !== other.renew || one.checks.length !== other.checks.length) return false;
  return one.checks.every((check, i) => isLikeCheck(check, other.checks[i] as Check));
}

function isLikeCheck(one: Check, other: Check): boolean {
  return (
    one.limit === other.limit && one.cost === other.cost && one.shadow === other.shadow && one.edgesMs === other.edgesMs
  );
}

/** The limits of one call: each is told in full where it comes first, and later by its number. */
class Limits {
  readonly #numbers = new Map<string, number>();

  name(check: Check): Argument {
    const text = limitText(check);
    const number = this.#numbers.get(text);
    if (number !== undefined) return number;
    this.#numbers.set(text, this.#numbers.size + 1);
    return text;
  }
}
