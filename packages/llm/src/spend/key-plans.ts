import { type Key, SluiceError } from '@sluice/core';
import type { KeyLimit } from '@sluice/core/http';
import { encodeKey, encodePair, optionError } from '@sluice/core/values';
import type { LlmOptions } from '../llm-options.js';
import { type HeldCounts, haveBudget } from '../plan/held-limits.js';
import type { NamedLimit } from '../plan/limit-names.js';
import type { LlmPlan } from '../plan/llm-plan.js';
import type { PlanLimits, PlanReader } from '../plan/plan-limits.js';

/** A limit of a key, and where it is from. */
export interface PlanKeyLimit extends KeyLimit {
  readonly named: NamedLimit;
  /** The model that it counts; undefined if it counts all. */
  readonly model: string | undefined;
  /** What counts the money that calls under way hold of it; undefined if it is no budget. */
  readonly held: KeyLimit | undefined;
}

/** What the limits of keys are found by. */
export interface KeyPlansParts<A extends readonly unknown[]> {
  readonly options: Pick<LlmOptions<A>, 'plan' | 'scopes' | 'planOfKey'>;
  readonly reader: PlanReader;
  readonly plans: { readonly limits: readonly NamedLimit[]; readonly held: HeldCounts };
}

/** Finds the limits that count a key, without a request. */
export class KeyPlans<A extends readonly unknown[]> {
  readonly #parts: KeyPlansParts<A>;
  readonly #scopes: readonly (string | undefined)[];

  constructor(parts: KeyPlansParts<A>) {
    this.#parts = parts;
    this.#scopes = [undefined, ...Object.keys(parts.options.scopes ?? {})];
  }

  /** The caller's own plan, and the scopes. */
  get scopes(): readonly (string | undefined)[] {
    return this.#scopes;
  }

  /**
   * Returns the limits of a key.
   *
   * @param scope - undefined for the caller's own plan
   * @param given - the plan, if it is known
   * @throws SluiceError `SLUICE_OPTION` if the plan is wrong; `SLUICE_UNSUPPORTED` if only a request tells it; `SLUICE_KEY`
   */
  async limitsOf(scope: string | undefined, key: Key, given?: LlmPlan): Promise<readonly PlanKeyLimit[]> {
    const plan = await this.#planOf(scope, key, given);
    const encoded = encodeKey(key);
    return this.#parts.plans.limits.flatMap((named): readonly PlanKeyLimit[] => {
      if (named.scope !== scope) return [];
      if (!named.isOfModel) return this.#limitIn(plan.own, named, encoded, undefined);
      return [...plan.models].flatMap(([model, limits]) =>
        this.#limitIn(limits, named, encodePair(encoded, model), model),
      );
    });
  }

  #limitIn(
    limits: PlanLimits['own'],
    named: NamedLimit,
    key: string,
    model: string | undefined,
  ): readonly PlanKeyLimit[] {
    const { dimension, name } = named;
    const limit = limits[dimension.name];
    if (!limit || limit.algorithm === 'unlimited') return [];
    const shown = model === undefined ? {} : { shownAs: `${name}:${model}` };
    const held = dimension.counts === 'money' && haveBudget(limits) ? this.#heldOf(named, key) : undefined;
    return [{ name, key, limit, named, model, held, ...shown }];
  }

  #heldOf({ scope, isOfModel }: NamedLimit, key: string): KeyLimit | undefined {
    const { counts, limit } = this.#parts.plans.held;
    const count = [...counts.values()].find((one) => one.scope === scope && one.isOfModel === isOfModel);
    return count && { name: count.name, key, limit };
  }

  async #planOf(scope: string | undefined, key: Key, given: LlmPlan | undefined): Promise<PlanLimits> {
    const { options, reader } = this.#parts;
    if (given !== undefined) return reader.read(given, scope === undefined ? 'plan' : `scopes.${scope}.plan`);
    const plan = scope === undefined ? options.plan : options.scopes?.[scope]?.plan;
    if (plan === undefined) throw optionError(`scopes.${scope}`, 'must be the name of a scope', key);
    if (typeof plan !== 'function') return reader.read(plan, 'plan');
    if (options.planOfKey) return reader.read(await options.planOfKey(key, scope), 'planOfKey()');
    const whose = scope === undefined ? 'plan' : `scopes.${scope}.plan`;
    const message = `${whose} is a function of the request, so a key alone does not tell the plan: pass it, or give createLlm the option planOfKey`;
    throw new SluiceError('SLUICE_UNSUPPORTED', message);
  }
}
