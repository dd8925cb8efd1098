import type { Advice } from '@sluice/client';
import type { DimensionName } from '../plan/dimension.js';
import type { LlmPlan } from '../plan/llm-plan.js';

const DAY_MS = 86_400_000;

/** The limits of a plan that providers state, by what they count. */
const OF_MINUTES = {
  requests: 'rpm',
  tokens: 'tpm',
  'input-tokens': 'itpm',
  'output-tokens': 'otpm',
} as const satisfies Partial<Record<Advice['unit'], DimensionName>>;

const OF_DAYS = { requests: 'rpd', tokens: 'tpd' } as const satisfies Partial<Record<Advice['unit'], DimensionName>>;

type StatedName = (typeof OF_MINUTES)[keyof typeof OF_MINUTES] | (typeof OF_DAYS)[keyof typeof OF_DAYS];

/** The limits that a provider stated to one key, as of its last answer about each. */
export class StatedLimits {
  #limits: Partial<Record<StatedName, number>> = {};
  /** The plans of the user, with what was stated. They are made once, because a plan object is read once. */
  #plans = new WeakMap<LlmPlan, LlmPlan>();

  /** Takes in what an answer states. Of several limits for one dimension, the smallest counts. With a limit of 0, no call would ever ask again. */
  learn(advice: readonly Advice[]): void {
    const stated: Partial<Record<StatedName, number>> = {};
    for (const one of advice) {
      const name = nameOf(one);
      if (name && one.limit) stated[name] = Math.min(one.limit, stated[name] ?? one.limit);
    }
    const limits = { ...this.#limits, ...stated };
    if (Object.entries(stated).every(([name, limit]) => this.#limits[name as StatedName] === limit)) return;
    this.#limits = limits;
    this.#plans = new WeakMap();
  }

  /** Returns the plan with the smaller one of each of its numbers and what the provider stated. */
  within(plan: LlmPlan): LlmPlan {
    const known = this.#plans.get(plan);
    if (known) return known;
    const smaller = Object.entries(this.#limits).filter(([name, limit]) => {
      const { [name as StatedName]: own } = plan;
      return typeof own === 'number' && limit < own;
    });
    const made = smaller.length === 0 ? plan : { ...plan, ...Object.fromEntries(smaller) };
    this.#plans.set(plan, made);
    return made;
  }
}

/** A provider that does not state its window means a minute. */
function nameOf({ unit, windowMs }: Advice): StatedName | undefined {
  const names: Readonly<Partial<Record<Advice['unit'], StatedName>>> = windowMs === DAY_MS ? OF_DAYS : OF_MINUTES;
  return windowMs === undefined || windowMs === DAY_MS || windowMs === 60_000 ? names[unit] : undefined;
}
