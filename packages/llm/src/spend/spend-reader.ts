import { type Key, SluiceError, type Verdict } from '@sluice/core';
import type { KeyCounter, KeyCounts, KeyLimit, KeyView } from '@sluice/core/http';
import { calendarsFor, checkOptions, type Eventual, optionError, show } from '@sluice/core/values';
import { dollarText } from '../money/dollar-text.js';
import { KeyPlans, type KeyPlansParts, type PlanKeyLimit } from './key-plans.js';
import type { BudgetSpend, LimitUse, ScopeQuery, Spend, SpendQuery } from './spend.js';

/** Reads what keys have spent: from the policies that use the limits, without a call. */
export class SpendReader<A extends readonly unknown[]> implements KeyView {
  readonly #plans: KeyPlans<A>;
  /** The policies by their names. A policy that is made again replaces the one before. */
  readonly #policies = new Map<string, WeakRef<KeyCounter>>();

  constructor(parts: KeyPlansParts<A>) {
    this.#plans = new KeyPlans(parts);
  }

  joined(policy: KeyCounter): void {
    this.#policies.set(policy.name, new WeakRef(policy));
  }

  /** For `inspect`, which counts one key in each limit of a policy. */
  limitsOf(key: Key): Eventual<readonly KeyLimit[]> {
    return this.#limitsOfAll(this.#plans.scopes.map((scope) => ({ scope, key })));
  }

  async read(who: Key | SpendQuery): Promise<Spend> {
    const query = queryOf(who);
    const policy = this.#policyOf(query.policy);
    const limits = await this.#limitsOfAll(keysOf(query));
    const held = limits.flatMap((limit) => limit.held ?? []);
    const counts = limits.map(({ name, key, limit }): KeyLimit => ({ name, key, limit }));
    // Several budgets of a key share the count of what is held.
    const read = [...counts, ...held.filter((one, i) => held.findIndex((other) => isSame(one, other)) === i)];
    const counted = await policy.look(read);
    return spendOf(policy.name, limits, read, counted);
  }

  async #limitsOfAll(keys: readonly ScopedKey[]): Promise<readonly PlanKeyLimit[]> {
    const found: PlanKeyLimit[] = [];
    for (const { scope, key, plan } of keys) found.push(...(await this.#plans.limitsOf(scope, key, plan)));
    return found;
  }

  #policyOf(name: string | undefined): KeyCounter {
    const known = [...this.#policies].flatMap(([, ref]) => ref.deref() ?? []);
    const found = name === undefined ? known : known.filter((policy) => policy.name === name);
    const [first] = found;
    if (first && found.length === 1) return first;
    const names = known.map((policy) => JSON.stringify(policy.name)).join(', ');
    if (known.length > 0) throw optionError('policy', `must be the name of a policy with these limits: ${names}`, name);
    const message =
      'no policy has these limits yet: spread llm.policy into the options of one before you ask what was spent';
    throw new SluiceError('SLUICE_UNSUPPORTED', message);
  }
}

interface ScopedKey extends ScopeQuery {
  /** Undefined for the caller's own plan. */
  readonly scope: string | undefined;
}

function queryOf(who: Key | SpendQuery): SpendQuery {
  if (typeof who !== 'object' || who === null || Array.isArray(who)) return { key: who as Key };
  checkOptions(who, ['key', 'plan', 'scopes', 'policy']);
  return who as SpendQuery;
}

function keysOf({ key, plan, scopes = {} }: SpendQuery): readonly ScopedKey[] {
  const own: readonly ScopedKey[] = key === undefined ? [] : [{ scope: undefined, key, ...(plan && { plan }) }];
  const others = Object.entries(scopes).map(([scope, given]): ScopedKey => {
    if (typeof given !== 'object' || Array.isArray(given)) return { scope, key: given as Key };
    checkOptions(given, ['key', 'plan'], `scopes.${scope}`);
    return { scope, ...(given as ScopeQuery) };
  });
  const keys = [...own, ...others];
  if (keys.length > 0) return keys;
  throw new SluiceError('SLUICE_KEY', `there is no key to look at: got ${show({ key, scopes })}`);
}

function isSame(one: KeyLimit, other: KeyLimit): boolean {
  return one.name === other.name && one.key === other.key;
}

function spendOf(
  policy: string,
  limits: readonly PlanKeyLimit[],
  read: readonly KeyLimit[],
  { atMs, verdicts }: KeyCounts,
): Spend {
  const budgets: BudgetSpend[] = [];
  const others: LimitUse[] = [];
  limits.forEach((limit, i) => {
    const verdict = verdicts[i] as Verdict;
    const { held } = limit;
    if (limit.named.dimension.counts !== 'money') others.push(useOf(limit, verdict, atMs));
    else {
      const heldNow = held && verdicts[read.findIndex((one) => isSame(one, held))]?.used;
      budgets.push(budgetOf(limit, verdict, heldNow ?? 0, atMs));
    }
  });
  return { policy, at: new Date(atMs).toISOString(), budgets, limits: others };
}

function budgetOf(limit: PlanKeyLimit, verdict: Verdict, heldNow: number, atMs: number): BudgetSpend {
  const { used, remaining } = verdict;
  // A call that began before midnight is charged to the day before, and still held.
  const held = Math.min(heldNow, used);
  const amounts = { limit: limit.limit.quota, spent: used - held, held, left: remaining };
  const dollars = {
    limit: dollarText(amounts.limit),
    spent: dollarText(amounts.spent),
    held: dollarText(held),
    left: dollarText(remaining),
  };
  return { ...placeOf(limit, verdict, atMs), ...amounts, dollars };
}

function useOf(limit: PlanKeyLimit, verdict: Verdict, atMs: number): LimitUse {
  const { used, remaining } = verdict;
  return {
    ...placeOf(limit, verdict, atMs),
    unit: limit.named.dimension.unit,
    limit: limit.limit.quota,
    used,
    left: remaining,
  };
}

function placeOf({ name, named, model, limit }: PlanKeyLimit, { resetAfterMs }: Verdict, atMs: number) {
  const { dimension, scope } = named;
  const { calendar } = limit;
  // Also if nothing was used: readers want to know when the day ends.
  const endMs = calendar ? calendarsFor(calendar, name).boundsAround(calendar, atMs)[2] : endOf(resetAfterMs, atMs);
  return {
    name,
    ...(scope !== undefined && { scope }),
    ...(model !== undefined && { model }),
    period: dimension.period,
    resetAt: endMs === undefined ? null : new Date(endMs).toISOString(),
  };
}

function endOf(resetAfterMs: Verdict['resetAfterMs'], atMs: number): number | undefined {
  return resetAfterMs === 'never' ? undefined : atMs + resetAfterMs;
}
