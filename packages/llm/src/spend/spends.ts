import type { Key } from '@sluice/core';
import type { KeyView } from '@sluice/core/http';
import type { LlmPlan } from '../plan/llm-plan.js';
import type { ScopeKeys } from '../plan/policy-items.js';
import type { KeyPlansParts } from './key-plans.js';
import { type UsageHandler, type UsageOptions, usageHandler } from './page/usage-handler.js';
import type { ScopeQuery, Spend, SpendQuery } from './spend.js';
import { SpendReader } from './spend-reader.js';

/** What tells the spending of keys. */
interface Spends<A extends readonly unknown[]> {
  readonly view: KeyView;
  spend(who: Key | SpendQuery): Promise<Spend>;
  usage(options: UsageOptions<A>): UsageHandler;
}

/** Returns what tells the spending of keys: by a key, and by a request that has one. */
export function spendsOf<A extends readonly unknown[]>(parts: KeyPlansParts<A>, timeZone: string): Spends<A> {
  const view = new SpendReader(parts);
  const { plan, scopes = {} } = parts.options;

  const scopeOf = async (name: string, args: A): Promise<readonly [string, ScopeQuery][]> => {
    const scope = scopes[name];
    const key = scope && (await keyOf(scope.keyGenerator, args));
    if (!scope || key === undefined) return [];
    return [[name, { key, ...(await chosen(scope.plan, args)) }]];
  };

  const spendOf = async (args: A, key: Key, options: Pick<UsageOptions<A>, 'scopes' | 'policy'>): Promise<Spend> => {
    const shown = await Promise.all((options.scopes ?? []).map((name) => scopeOf(name, args)));
    return view.read({
      key,
      ...(await chosen(plan, args)),
      scopes: Object.fromEntries(shown.flat()),
      ...(options.policy !== undefined && { policy: options.policy }),
    });
  };

  return {
    view,
    spend: (who) => view.read(who),
    usage: (options) => usageHandler(options, { spendOf, scopes: Object.keys(scopes), timeZone }),
  };
}

/** The plan that a function chooses for a request. A fixed one is known. */
async function chosen<A extends readonly unknown[]>(
  plan: KeyPlansParts<A>['options']['plan'],
  args: A,
): Promise<{ readonly plan?: LlmPlan }> {
  return typeof plan === 'function' ? { plan: await plan(...args) } : {};
}

/** The key of a scope; undefined if the request has none, or a part of it is missing. */
async function keyOf<A extends readonly unknown[]>(keys: ScopeKeys<A>, args: A): Promise<Key | undefined> {
  if (typeof keys === 'function') return (await keys(...args)) ?? undefined;
  const parts = await Promise.all(keys.map((part) => part(...args)));
  return parts.some((part) => part === undefined || part === null) ? undefined : (parts as Key[]);
}
