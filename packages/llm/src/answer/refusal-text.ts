import { dollarText } from '../money/dollar-text.js';
import type { DimensionName } from '../plan/dimension.js';
import type { CallRefusal, RefusingLimit } from './call-refusal.js';

/** What people call the limits of a plan. */
export const LIMIT_WORDS: Readonly<Record<DimensionName, string>> = {
  rpm: 'requests per minute (RPM)',
  rpd: 'requests per day (RPD)',
  tpm: 'tokens per minute (TPM)',
  tpd: 'tokens per day (TPD)',
  itpm: 'input tokens per minute (ITPM)',
  otpm: 'output tokens per minute (OTPM)',
  parallel: 'parallel calls',
  perHour: 'the budget of the hour',
  perDay: 'the budget of the day',
  perWeek: 'the budget of the week',
  perMonth: 'the budget of the month',
  perLifetime: 'the whole budget',
};

/** What nobody here can answer now. */
export const TRY_AGAIN = 'The service cannot answer this request at the moment. Try again soon.';

/** What a text may say, and what it is about. */
interface TextOptions {
  readonly model: string | undefined;
  readonly showBudget: boolean;
  /** The longest that a call holds money without progress. */
  readonly maxHoldMs: number;
}

/** Returns the sentences that tell a person why a call was refused. */
export function refusalText(refusal: CallRefusal, options: TextOptions): string {
  const { kind, main, retryAfterMs } = refusal;
  if (!main) return TRY_AGAIN;
  if (kind === 'blocked') return 'Access is blocked.';
  const what = `${nameOf(main, options)}${numbersOf(main, options)}.`;
  if (kind === 'budget') return `Quota reached for ${what}`;
  if (kind === 'held') return `Calls that are under way hold what is left of ${what}${endOfHolds(options)}`;
  if (kind === 'size')
    return main.limit?.dimension.counts === 'money' ? tooDear(main, options) : `Request too large for ${what}`;
  const wait = retryAfterMs === undefined ? '' : ` Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s.`;
  return `Rate limit reached for ${what}${wait}`;
}

/** No clock can predict when calls end. One that makes no progress ends after the longest hold. */
function endOfHolds({ maxHoldMs }: TextOptions): string {
  return ` Try again when one of them has ended: within ${Math.ceil(maxHoldMs / 1000)} s, if they make no progress.`;
}

function tooDear(main: RefusingLimit, options: TextOptions): string {
  const budget = nameOf(main, options);
  const { cost, limit } = main.verdict;
  if (!options.showBudget) return `This call needs more than ${budget} ever has.`;
  return `This call needs up to ${dollars(cost)}, and ${budget} is ${dollars(limit.quota)}.`;
}

function nameOf({ limit, verdict }: RefusingLimit, { model }: TextOptions): string {
  if (!limit) return verdict.name;
  const name = LIMIT_WORDS[limit.dimension.name];
  const ofModel = limit.isOfModel && model !== undefined ? ` of ${model}` : '';
  return `${name}${ofModel}${limit.scope === undefined ? '' : ` of ${limit.scope}`}`;
}

function numbersOf({ limit, verdict }: RefusingLimit, { showBudget }: TextOptions): string {
  const { quota } = verdict.limit;
  if (limit?.dimension.counts !== 'money') return `: limit ${quota}, used ${verdict.used}, requested ${verdict.cost}`;
  if (!showBudget) return '';
  return `: limit ${dollars(quota)}, used ${dollars(verdict.used)}, requested ${dollars(verdict.cost)}`;
}

/** Writes micro-dollars as dollars: `$0.50`, `$12`. */
function dollars(microDollars: number): string {
  return `$${dollarText(microDollars)}`;
}
