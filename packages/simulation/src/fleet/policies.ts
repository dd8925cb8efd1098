import type { Limit, LimitItem, PolicyOptions, Store } from '@sluice/core';
import type { Exports } from '../process/exports.js';
import type { LimitNumbers, LimitSetup, PolicySetup } from '../tape/tape.js';

type Core = Exports['core'];
type Item = LimitItem<[subject: string]>;

/** The options of a policy in one of its variants. */
export function policyOptions(
  core: Core,
  { name, onStoreError, variants }: PolicySetup,
  variant: number,
  store: Store,
): PolicyOptions<[subject: string]> {
  return { name, onStoreError, store, limits: limitItems(core, variants[variant] ?? []) };
}

/** The limits of a variant, as options. */
export function limitItems(core: Core, limits: readonly LimitSetup[]): Item[] {
  return limits.map(({ name, limit, by, cost, enforce, tolerance, guarantee }) => ({
    name,
    limit: limitOf(core, limit),
    ...(by === 'everyone' && { keyGenerator: core.everyone() }),
    ...(cost !== undefined && { cost }),
    ...(enforce !== undefined && { enforce }),
    ...(tolerance !== undefined && { tolerance }),
    ...(guarantee && {
      guarantee: { limit: guarantee.part, keyGenerator: (subject: string) => subject, total: guarantee.total },
      lend: guarantee.lend,
    }),
  }));
}

/** Makes a limit by the constructor of its algorithm. */
export function limitOf(core: Core, numbers: LimitNumbers): Limit {
  switch (numbers.algorithm) {
    case 'token-bucket': {
      const { capacity, refillRate, keepForMs, blockMs } = numbers;
      return core.tokenBucket({
        capacity,
        refillRate,
        ...(keepForMs !== undefined && { keepFor: keepForMs }),
        ...(blockMs !== undefined && { blockDuration: blockMs }),
      });
    }
    case 'leaky-bucket':
      return core.leakyBucket({ capacity: numbers.capacity, leakRate: numbers.leakRate });
    case 'concurrency':
      return core.concurrency({ limit: numbers.limit, lease: numbers.leaseMs });
    case 'fixed-window':
      return core.fixedWindow({ ...windowOptions(numbers), ...(numbers.align && { align: numbers.align }) });
    case 'sliding-window':
      return core.slidingWindow(windowOptions(numbers));
    case 'sliding-window-log':
      return core.slidingWindowLog(windowOptions(numbers));
    case 'sliding-window-counter':
      return core.slidingWindowCounter(windowOptions(numbers));
  }
}

type Windows = Extract<LimitNumbers, { readonly windowMs: number }>;

function windowOptions({ limit, windowMs, countRejected, blockMs }: Windows) {
  return {
    limit,
    window: `${windowMs}ms` as const,
    ...(countRejected && { countRejected }),
    ...(blockMs !== undefined && { blockDuration: blockMs }),
  };
}
