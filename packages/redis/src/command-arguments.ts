import type { Ask, Change, Check } from '@sluice/core';

type Argument = string | number;

/** How many arguments a check has; `lua/arguments.lua` says the same. */
const NONE = -1;

/** The arguments of `lua/consume.lua`, but for its keys. */
export function consumeArguments(ask: Ask, nowMs: number | undefined, leastTtlMs: number): Argument[] {
  const mode = ask.look ? 'look' : ask.renew ? 'renew' : 'spend';
  const args: Argument[] = [
    nowMs ?? '',
    mode,
    ask.id ?? '',
    ask.holdMs ?? 0,
    ask.atLeast ?? NONE,
    ask.notAfterMs ?? NONE,
    leastTtlMs,
    ask.checks.length,
  ];
  for (const check of ask.checks) pushCheck(args, check);
  return args;
}

/** The arguments of `lua/adjust.lua`, but for its keys. */
export function adjustArguments(change: Change, nowMs: number | undefined, leastTtlMs: number): Argument[] {
  const args: Argument[] = [
    nowMs ?? '',
    change.atMs ?? NONE,
    change.id ?? '',
    change.notAfterMs ?? NONE,
    leastTtlMs,
    change.checks.length,
  ];
  for (const check of change.checks) pushCheck(args, check);
  return args;
}

const COUNT_REJECTED = { true: 1, always: 2 } as const;

/** One check, in the order in which `lua/arguments.lua` reads it. */
function pushCheck(args: Argument[], { limit, cost, shadow, edgesMs = [0, 0, 0, 0] }: Check): void {
  args.push(
    limit.algorithm,
    limit.quota,
    limit.windowMs ?? 0,
    limit.n ?? 0,
    limit.m ?? 1,
    limit.byInterval ? 1 : 0,
    limit.buckets ?? 1,
    limit.calendar ? 'calendar' : (limit.align ?? ''),
    limit.leaseMs ?? 0,
    limit.blockMs ?? 0,
    limit.countRejected ? COUNT_REJECTED[`${limit.countRejected}`] : 0,
    limit.keepForMs ?? 0,
    cost,
    shadow ? 1 : 0,
    ...edgesMs,
  );
}
