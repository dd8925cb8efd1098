import { type Group, isShadow } from './groups.js';
import type { Change, ChangeResult } from './store.js';
import { tellOfFailure } from './store-failure.js';

/** Where groups say different things: one that has to be asked again answers for all, then one that changed something. */
const ORDER = ['outside-edges', 'applied', 'repeated', 'expired'] as const;

/** Corrects each group by itself. One of shadows that fails is told of and let go, where there are others. */
export async function adjustInGroups(change: Change, groups: readonly Group[]): Promise<ChangeResult> {
  const results = await Promise.all(groups.map((group) => adjusted(change, group, groups)));
  return ORDER.find((result) => results.includes(result)) ?? 'expired';
}

async function adjusted(change: Change, group: Group, groups: readonly Group[]): Promise<ChangeResult> {
  const { checks, decider } = group;
  try {
    return await decider.adjust({ ...change, checks });
  } catch (error) {
    if (!isShadow(group) || groups.every(isShadow)) throw error;
    tellOfFailure(checks, error);
    return 'expired';
  }
}
