import '@sluice/core/calendars';
import { concurrency, fixedWindow, type Limit, slidingWindow, tokenBucket, unlimited } from '@sluice/core';
import { checkLimit, checkName, checkOptions, checkWhole, optionError } from '@sluice/core/values';
import type { PriceTable } from '../money/price-table.js';
import { DIMENSIONS, type Dimension, type DimensionName } from './dimension.js';
import type { LlmPlan } from './llm-plan.js';

/** The limits that a plan has, by the names of its dimensions. */
type LimitsByName = Partial<Readonly<Record<DimensionName, Limit>>>;

/** A plan whose numbers have become limits. */
export interface PlanLimits {
  /** The name of the plan, if it has one. */
  readonly name?: string;
  readonly own: LimitsByName;
  /** Those of single models, which count beside the plan's own. */
  readonly models: ReadonlyMap<string, LimitsByName>;
}

const NAMES = DIMENSIONS.map(({ name }) => name);

/** The key of a budget for ever is kept for longer than anybody uses it. */
const EVER = '36500d';

/** A slot that is not renewed for this long belongs to a process that died. */
const SLOT_LEASE = '30s';

/** The most that limits of slots, and all others, count. */
const MOST_SLOTS = 10_000;
const MOST_UNITS = 2 ** 52 - 1;

/** How many limits made of numbers are kept: more than any price list has, and still little memory. */
const MOST_NUMBERS = 4096;

/** Makes the limits of plans. A plan object is read once, so that a plan costs a request nothing. */
export class PlanReader {
  readonly #timeZone: string;
  readonly #prices: PriceTable | undefined;
  readonly #plans = new WeakMap<LlmPlan, PlanLimits>();
  readonly #numbers = new Map<string, Limit>();

  /**
   * @param prices - know other names of models. A limit for a model without a price could never count.
   * @throws SluiceError `SLUICE_OPTION` if the time zone is none. This would show only with the first plan that has a day.
   */
  constructor(timeZone: string, prices: PriceTable | undefined) {
    this.#timeZone = checkedTimeZone(timeZone, 'timeZone');
    this.#prices = prices;
  }

  /**
   * Returns the limits of a plan.
   *
   * @throws SluiceError `SLUICE_OPTION`, with the path of the wrong part
   */
  read(plan: LlmPlan, path: string): PlanLimits {
    const known = typeof plan === 'object' && plan !== null ? this.#plans.get(plan) : undefined;
    if (known) return known;
    checkOptions(plan, [...NAMES, 'name', 'models', 'timeZone'], path);
    const { models = {} } = plan;
    const timeZone = plan.timeZone === undefined ? this.#timeZone : checkedTimeZone(plan.timeZone, `${path}.timeZone`);
    if (typeof models !== 'object' || models === null || Array.isArray(models)) {
      throw optionError(`${path}.models`, 'must be an object of limits by model', models);
    }
    const limits: PlanLimits = {
      ...(plan.name !== undefined && { name: checkName(plan.name, `${path}.name`) }),
      own: this.#limitsOf(plan, timeZone, path),
      models: this.#modelsOf(models, timeZone, `${path}.models`),
    };
    this.#plans.set(plan, limits);
    return limits;
  }

  #modelsOf(models: NonNullable<LlmPlan['models']>, timeZone: string, path: string): ReadonlyMap<string, LimitsByName> {
    const found = new Map<string, LimitsByName>();
    for (const [model, own] of Object.entries(models)) {
      const where = `${path}["${model}"]`;
      checkOptions(own, NAMES, where);
      if (this.#prices && !this.#prices.has(model)) throw optionError(where, 'must be a model with a price', own);
      const listed = this.#prices?.nameOf(model) ?? model;
      if (found.has(listed)) throw optionError(where, `must not be beside ${listed}: it is the same model`, own);
      found.set(listed, this.#limitsOf(own, timeZone, where));
    }
    return found;
  }

  #limitsOf(plan: Omit<LlmPlan, 'name' | 'models' | 'timeZone'>, timeZone: string, path: string): LimitsByName {
    return Object.fromEntries(
      DIMENSIONS.flatMap((dimension) => {
        const { [dimension.name]: limit } = plan;
        return limit === undefined
          ? []
          : [[dimension.name, this.#limitOf(dimension, limit, timeZone, `${path}.${dimension.name}`)]];
      }),
    );
  }

  #limitOf(dimension: Dimension, limit: number | Limit, timeZone: string, path: string): Limit {
    if (typeof limit === 'object') return checkGiven(dimension, limit, path);
    const quota = checkWhole(limit, path, 0, dimension.period === 'held' ? MOST_SLOTS : MOST_UNITS);
    const name = `${dimension.name} ${quota} ${timeZone}`;
    const known = this.#numbers.get(name);
    if (known) return known;
    const made = usualLimit(dimension, quota, timeZone);
    if (this.#numbers.size >= MOST_NUMBERS) this.#numbers.clear();
    this.#numbers.set(name, made);
    return made;
  }
}

/** The usual limit of a dimension: what people understand by "a minute", "a day" and "a month". */
function usualLimit({ period }: Dimension, limit: number, timeZone: string): Limit {
  if (period === 'held') return concurrency({ limit, lease: SLOT_LEASE });
  if (period === 'minute') return slidingWindow({ limit, window: '1m' });
  if (period === 'ever') return tokenBucket({ capacity: limit, refillRate: 0, keepFor: EVER });
  return fixedWindow({ limit, window: { unit: period, timeZone } });
}

function checkedTimeZone(timeZone: string, path: string): string {
  try {
    fixedWindow({ limit: 0, window: { unit: 'day', timeZone } });
  } catch {
    throw optionError(path, "must be the name of an IANA time zone, such as 'Europe/Rome'", timeZone);
  }
  return timeZone;
}

/** Checks a Limit that stands in a plan. Slots count calls under way, and nothing else does. */
function checkGiven({ counts, name }: Dimension, given: Limit, path: string): Limit {
  const limit = checkLimit(given, path);
  if (limit.algorithm === 'unlimited') return unlimited();
  if ((limit.leaseMs !== undefined) !== (counts === 'slots')) {
    const rule = counts === 'slots' ? 'must be concurrency({ limit, lease })' : 'must not be a concurrency limit';
    throw optionError(path, `${rule}, because ${name} counts ${counts}`, given);
  }
  return limit;
}
