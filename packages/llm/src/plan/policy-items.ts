import { type KeyGenerator, type Limit, type LimitItem, unlimited } from '@sluice/core';
import { KEY_VIEW, type KeyView } from '@sluice/core/http';
import { type Eventual, whenReady } from '@sluice/core/values';
import { asNative } from '../request/as-native.js';
import type { PlannedCall } from '../request/planned-call.js';
import type { Counted } from './dimension.js';
import { HELD_UNIT, type HeldCount, type HeldCounts, haveBudget } from './held-limits.js';
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

/** What the items of a policy are made of. */
interface PolicyParts<A extends Args> {
  readonly plans: {
    /** There is at least one. */
    readonly limits: readonly NamedLimit[];
    readonly held: HeldCounts;
    keysOf(scope: string): ScopeKeys<A>;
  };
  readonly calls: CallSource<A>;
  /** What the items know of keys without a request. */
  readonly view: KeyView;
}

/** Returns the items of a policy, one for each limit and for each count of what is held. The first one begins each decision. */
export function policyItems<A extends Args>(parts: PolicyParts<A>): readonly LimitItem<A>[] {
  const { plans, calls } = parts;
  return [
    ...plans.limits.map((limit, i) => limitItem(limit, i === 0 ? calls.begin : calls.current, parts)),
    ...[...plans.held.counts.values()].map((count) => heldItem(count, parts)),
  ];
}

function limitItem<A extends Args>(
  limit: NamedLimit,
  read: CallSource<A>['current'],
  parts: PolicyParts<A>,
): LimitItem<A> {
  const { counts, unit } = limit.dimension;
  return {
    name: limit.name,
    limit: (...args: A) => asNative(whenReady(read(...args), (call): Limit => call.limitOf(limit))),
    ...(counts !== 'slots' && { cost: costOf(counts, parts), quotaUnit: unit }),
    ...keyOptions(limit, parts),
  };
}

function heldItem<A extends Args>(count: HeldCount, parts: PolicyParts<A>): LimitItem<A> {
  const {
    calls,
    plans: { held },
  } = parts;
  const limitOf = ({ plans, listedModel }: PlannedCall): Limit => {
    const plan = plans.get(count.scope);
    return haveBudget(count.isOfModel ? plan?.models.get(listedModel) : plan?.own) ? held.limit : unlimited();
  };
  return {
    name: count.name,
    limit: (...args: A) => asNative(whenReady(calls.current(...args), limitOf)),
    cost: costOf('held', parts),
    quotaUnit: HELD_UNIT,
    enforce: 0,
    ...keyOptions(count, parts),
  };
}

function costOf<A extends Args>(counts: Counted, { calls }: PolicyParts<A>) {
  return (...args: A) => asNative(whenReady(calls.current(...args), (call) => call.costOf(counts)));
}

/** The key, which counts that belong together share, and what is known of it without a request. */
function keyOptions<A extends Args>(
  { isOfModel, scope }: Pick<NamedLimit, 'isOfModel' | 'scope'>,
  { calls, plans, view }: PolicyParts<A>,
): Pick<LimitItem<A>, 'keyGenerator' | 'partition' | typeof KEY_VIEW> {
  return {
    ...(isOfModel && {
      partition: (...args: A) => asNative(whenReady(calls.current(...args), ({ listedModel }) => listedModel)),
    }),
    ...(scope !== undefined && { keyGenerator: plans.keysOf(scope) }),
    [KEY_VIEW]: view,
  };
}
