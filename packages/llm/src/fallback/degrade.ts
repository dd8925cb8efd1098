// Why it is so: core/docs/why/budgets-of-models.md

import type { Decision } from '@sluice/core';
import type { HttpOptions } from '@sluice/core/http';
import { type Eventual, optionError, whenReady } from '@sluice/core/values';
import type { PriceTable } from '../money/price-table.js';
import type { NamedLimit } from '../plan/limit-names.js';
import { asNative } from '../request/as-native.js';
import { type DecisionArguments, decisionOf } from '../request/callback-arguments.js';
import { chooseModel } from '../request/model-choice.js';
import type { PlannedCall } from '../request/planned-call.js';

type Args = readonly unknown[];

/** What a fallback works with. */
interface DegradeParts<A extends Args> {
  readonly prices: PriceTable | undefined;
  readonly limits: ReadonlyMap<string, NamedLimit>;
  /** Returns the call of the decision about a request. */
  current(...args: A): Eventual<PlannedCall> | undefined;
}

/** `reconsider` is asked at most so often. */
const MOST_MODELS = 16;

/**
 * Returns the option that tries other models in order, if the limits refuse a call.
 *
 * @throws SluiceError `SLUICE_OPTION` if a model has no price
 */
export function degraded<A extends Args>(
  models: readonly string[],
  { prices, limits, current }: DegradeParts<A>,
): Required<Pick<HttpOptions<A>, 'reconsider'>> {
  const others = checkModels(models, prices);
  return {
    reconsider: (...params: DecisionArguments<A>) => {
      const request: unknown = params[0];
      const call = current(...(params.slice(0, -1) as unknown as A));
      if (!call || typeof request !== 'object' || request === null) return false;
      if (!canAnotherModelHelp(decisionOf(params), limits)) return false;
      return asNative(
        whenReady(call, (before) => {
          const tried = others.findIndex((model, i) => i >= before.tried && model !== before.call.model) + 1;
          const model = others[tried - 1];
          if (model === undefined) return false;
          chooseModel(request, { model, tried, before });
          return true;
        }),
      );
    },
  };
}

/** Checks the models of a fallback. */
export function checkModels(models: readonly string[], prices?: PriceTable): readonly string[] {
  const isList = Array.isArray(models) && models.length > 0 && models.length <= MOST_MODELS;
  if (!isList) throw optionError('models', `must be a list of 1 to ${MOST_MODELS} names of models`, models);
  models.forEach((model: unknown, i) => {
    if (typeof model !== 'string' || model === '')
      throw optionError(`models[${i}]`, 'must be the name of a model', model);
    if (prices && !prices.has(model)) throw optionError(`models[${i}]`, 'must be a model with a price', model);
  });
  return [...models];
}

/** Requests and slots of the plan itself are the same for every model. */
function canAnotherModelHelp({ verdicts }: Decision, limits: ReadonlyMap<string, NamedLimit>): boolean {
  return verdicts.every(({ name, allowed, shadow }) => {
    if (allowed || shadow) return true;
    const limit = limits.get(name);
    if (!limit) return false;
    const { counts } = limit.dimension;
    return limit.isOfModel || (counts !== 'requests' && counts !== 'slots');
  });
}
