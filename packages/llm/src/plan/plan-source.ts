import { checkOptions, type Eventual, optionError, whenReady } from '@sluice/core/values';
import type { LlmOptions, PlanScope } from '../llm-options.js';
import { DIMENSIONS, MONEY_DIMENSIONS } from './dimension.js';
import { type HeldCounts, heldCounts } from './held-limits.js';
import { type NamedLimit, namedLimit } from './limit-names.js';
import type { LlmPlan } from './llm-plan.js';
import type { PlanLimits, PlanReader } from './plan-limits.js';
import type { ScopeKeys } from './policy-items.js';

type Args = readonly unknown[];

/** A plan of the options, and where it stands there. */
interface Source<A extends Args> {
  readonly scope: string | undefined;
  readonly path: string;
  readonly plan: PlanScope<A>['plan'];
  readonly keys: ScopeKeys<A> | undefined;
}

/** The plans of the options: the caller's own, and those of scopes. */
export class PlanSource<A extends Args> {
  /** The limits of the policy, in their order. There is at least one. */
  readonly limits: readonly NamedLimit[];
  /** What counts the money of calls under way, beside the limits. */
  readonly held: HeldCounts;
  readonly #sources: readonly Source<A>[];
  readonly #reader: PlanReader;
  readonly #hasPrices: boolean;
  /** The plans, if none of them is a function. */
  readonly #fixed: ReadonlyMap<string | undefined, PlanLimits> | undefined;

  /** @throws SluiceError `SLUICE_OPTION` if a plan, or the name or the key of a scope, is wrong */
  constructor(options: Pick<LlmOptions<A>, 'plan' | 'scopes' | 'prices'>, reader: PlanReader, maxHoldMs: number) {
    this.#reader = reader;
    this.#hasPrices = options.prices !== undefined;
    this.#sources = sourcesOf(options);
    const limits = this.#sources.flatMap((source) => this.#limitsOf(source));
    this.limits = limits.length > 0 ? limits : [namedLimit(FIRST, false, undefined)];
    this.held = heldCounts(this.limits, maxHoldMs);
    this.#fixed = this.#sources.every(({ plan }) => typeof plan !== 'function') ? this.#readFixed() : undefined;
  }

  /** Returns the plans of a request, by scope. */
  plansOf(args: A): Eventual<ReadonlyMap<string | undefined, PlanLimits>> {
    return this.#fixed ?? this.#resolve(args, 0, new Map());
  }

  /** Returns the keys of a scope. */
  keysOf(scope: string): ScopeKeys<A> {
    return this.#sources.find((source) => source.scope === scope)?.keys as ScopeKeys<A>;
  }

  #resolve(
    args: A,
    from: number,
    plans: Map<string | undefined, PlanLimits>,
  ): Eventual<ReadonlyMap<string | undefined, PlanLimits>> {
    const source = this.#sources[from];
    if (!source) return plans;
    const { plan, scope, path } = source;
    return whenReady(typeof plan === 'function' ? plan(...args) : plan, (chosen) => {
      plans.set(scope, this.#read(chosen, typeof plan === 'function' ? `${path}()` : path));
      return this.#resolve(args, from + 1, plans);
    });
  }

  #readFixed(): ReadonlyMap<string | undefined, PlanLimits> {
    return new Map(this.#sources.map(({ scope, plan, path }) => [scope, this.#read(plan as LlmPlan, path)]));
  }

  #read(plan: LlmPlan, path: string): PlanLimits {
    const limits = this.#reader.read(plan, path);
    if (!this.#hasPrices && hasMoney(limits)) {
      throw optionError(path, 'has limits of money, so createLlm needs the option prices', plan);
    }
    return limits;
  }

  /**
   * A function may choose any limit; of money only if there are prices. Names do not depend on it, so that another plan keeps what was
   * spent.
   */
  #limitsOf({ plan, scope, path }: Source<A>): readonly NamedLimit[] {
    const limits = typeof plan === 'function' ? undefined : this.#read(plan, path);
    const models = limits && [...limits.models.values()];
    const possible = DIMENSIONS.filter(({ counts }) => this.#hasPrices || counts !== 'money');
    const own = possible.filter(({ name }) => !limits || limits.own[name]);
    const ofModels = possible.filter(({ name }) => !models || models.some((model) => model[name]));
    return [
      ...own.map((dimension) => namedLimit(dimension, false, scope)),
      ...ofModels.map((dimension) => namedLimit(dimension, true, scope)),
    ];
  }
}

const [FIRST] = DIMENSIONS as [(typeof DIMENSIONS)[number]];

function hasMoney({ own, models }: PlanLimits): boolean {
  return [own, ...models.values()].some((limits) => MONEY_DIMENSIONS.some(({ name }) => limits[name] !== undefined));
}

function sourcesOf<A extends Args>({
  plan,
  scopes = {},
}: Pick<LlmOptions<A>, 'plan' | 'scopes'>): readonly Source<A>[] {
  checkPlan(plan, 'plan');
  if (typeof scopes !== 'object' || scopes === null || Array.isArray(scopes)) {
    throw optionError('scopes', 'must be an object of plans by the names of scopes', scopes);
  }
  const others = Object.entries(scopes).map(([scope, options]): Source<A> => {
    const path = `scopes.${scope}`;
    checkScopeName(scope, path);
    checkOptions(options, ['plan', 'keyGenerator'], path);
    checkPlan(options.plan, `${path}.plan`);
    if (options.keyGenerator === undefined) {
      throw optionError(`${path}.keyGenerator`, 'is needed: it says who shares the limits', undefined);
    }
    return { scope, path: `${path}.plan`, plan: options.plan, keys: options.keyGenerator };
  });
  return [{ scope: undefined, path: 'plan', plan, keys: undefined }, ...others];
}

function checkPlan(plan: unknown, path: string): void {
  if (typeof plan === 'function' || (typeof plan === 'object' && plan !== null)) return;
  throw optionError(path, 'must be a plan, such as { rpm: 10 }, or a function that returns one', plan);
}

/** The name stands before a hyphen in the names of limits, where `model` has a meaning of its own. */
function checkScopeName(scope: string, path: string): void {
  if (/^[a-z][a-z0-9]{0,63}$/i.test(scope) && scope !== 'model') return;
  throw optionError(path, "must be named with 1 to 64 ASCII letters and digits, and not 'model'", scope);
}
