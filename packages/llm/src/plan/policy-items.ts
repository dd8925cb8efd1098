import type { KeyGenerator, Limit, LimitItem } from '@sluice/core';
import { type Eventual, whenReady } from '@sluice/core/http';
import { asNative } from '../request/as-native.js';
import type { PlannedCall } from '../request/planned-call.js';
import type { NamedLimit } from './limit-names.js';

type Args = readonly unknown[];

/** The keys of a scope: one function, or several for a compound key. */
export type ScopeKeys<A extends Args> = KeyGenerator<A> | readonly KeyGenerator<A>[];

/** Where the items of a policy get their calls from. */
export interface CallSource<A extends Args> {
  /** Begins a decision: reads the call. */
  begin(...args: A): Eventual<PlannedCall>;
  /** Returns the call of the decision that has begun. */
  current(...args: A): Eventual<PlannedCall>;
}

/** Returns the items of a policy, one for each limit. The first one begins each decision. */
export function policyItems<A extends Args>(
  limits: readonly NamedLimit[],
  calls: CallSource<A>,
  keysOf: (scope: string) => ScopeKeys<A>,
): readonly LimitItem<A>[] {
  return limits.map((limit, i): LimitItem<A> => {
    const read = i === 0 ? calls.begin : calls.current;
    const { name, dimension, isOfModel, scope } = limit;
    const { counts, unit } = dimension;
    return {
      name,
      limit: (...args: A) => asNative(whenReady(read(...args), (call): Limit => call.limitOf(limit))),
      ...(counts !== 'slots' && {
        cost: (...args: A) => asNative(whenReady(calls.current(...args), (call) => call.costOf(counts))),
        quotaUnit: unit,
      }),
      ...(isOfModel && {
        partition: (...args: A) => asNative(whenReady(calls.current(...args), ({ listedModel }) => listedModel)),
      }),
      ...(scope !== undefined && { keyGenerator: keysOf(scope) }),
    };
  });
}
