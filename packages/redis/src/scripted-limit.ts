import { type Limit, type LimitCheck, SluiceError } from '@sluice/core';
import { ALGORITHMS, DEFINITIONS, definitionOf } from '@sluice/core/store';
import { checkLimit } from '@sluice/core/values';
import { KERNELS, NUMERIC_FUNCTIONS } from './generated/scripts.js';
import { packedNumber } from './packed-number.js';

/** A limit that `lua/numeric-path.lua` can decide about. */
export interface NumericLimit {
  /** The function that decides. */
  readonly algorithmCode: number;
  /** The quota, a and b, packed. */
  readonly numbers: string;
  readonly c: number;
}

/** A limit in the form that scripts use. It is made once, and every call needs it. */
export interface ScriptedLimit {
  readonly limit: Limit;
  readonly text: string;
  /** Undefined if every check of this limit needs a kernel. */
  readonly numeric: NumericLimit | undefined;
  /** The bit of its algorithm in the mask of a call. */
  readonly algorithmBit: number;
  readonly usesSlots: boolean;
  /** How much of the size of a call a check of this limit takes, in the short form of the arguments and in the long one. */
  readonly shortSize: number;
  readonly longSize: number;
  /** Whether `countableLimit` has checked it. */
  isCountable: boolean;
}

const scripted = new WeakMap<Limit, ScriptedLimit>();

/** Each algorithm is a bit of a mask. */
const BITS: Readonly<Record<string, number>> = Object.fromEntries(
  DEFINITIONS.map(({ algorithm }, i) => [algorithm, 1 << i]),
);

/** The one that was looked up last. Each step of a request looks up the same one. */
let last: ScriptedLimit | undefined;

export function scriptedLimit(limit: Limit): ScriptedLimit {
  if (last?.limit !== limit) last = scripted.get(limit) ?? newScripted(limit);
  return last;
}

function newScripted(limit: Limit): ScriptedLimit {
  const made: ScriptedLimit = {
    limit,
    text: textOf(limit),
    numeric: numericLimitOf(limit),
    algorithmBit: BITS[limit.algorithm] ?? 0,
    usesSlots: limit.leaseMs !== undefined,
    shortSize: sizeOf(limit, true),
    longSize: sizeOf(limit, false),
    isCountable: false,
  };
  scripted.set(limit, made);
  return made;
}

/**
 * Returns a limit that the scripts can count. Limits come from programs, but also as JSON from elsewhere.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED`, `SLUICE_OPTION`
 */
export function countableLimit(limit: Limit): ScriptedLimit {
  const known = last?.limit === limit ? last : scripted.get(limit);
  if (known?.isCountable) {
    last = known;
    return known;
  }
  if (!Object.hasOwn(KERNELS, limit.algorithm)) {
    throw new SluiceError('SLUICE_UNSUPPORTED', `no store supports the algorithm ${JSON.stringify(limit.algorithm)}`);
  }
  const made = scriptedLimit(checkLimit(limit, 'limit'));
  made.isCountable = true;
  return made;
}

/** Returns the text of a check's limit, with its margin, how much of its parts it lends, and the boundaries of a calendar limit. */
export function limitText(
  { calendarBoundsMs, margin, parts }: LimitCheck,
  { text }: Pick<ScriptedLimit, 'text'>,
): string {
  if (!calendarBoundsMs && !margin && parts === undefined) return text;
  const lent = parts === undefined ? '' : `,"lend":${parts.lend}`;
  const own = `${margin ? `,"margin":${margin}` : ''}${lent}${calendarBoundsMs ? `,"calendarBoundsMs":[${calendarBoundsMs.join()}]` : ''}`;
  return `${text.slice(0, -1)}${own}}`;
}

/** Returns the limit as JSON, without fields that no script reads. */
function textOf({ name, calendar, capacity, ...read }: Limit): string {
  return JSON.stringify(read);
}

/** The third number of a limit that has no use for it. */
export const NO_NUMBER = -1;

/**
 * Returns a limit as `lua/numeric-path.lua` reads it; undefined if a kernel is needed, because it blocks, counts refusals, follows
 * a calendar, refills by interval or never refills.
 */
function numericLimitOf(limit: Limit): NumericLimit | undefined {
  const { algorithm, quota, blockMs, countRejected, calendar, byInterval, keepForMs } = limit;
  if (quota <= 0 || blockMs !== undefined || countRejected || calendar || byInterval || keepForMs !== undefined)
    return undefined;
  const numbers = numbersOf(limit);
  if (!numbers || ![quota, ...numbers].every(Number.isSafeInteger)) return undefined;
  const { algorithmCode } = NUMERIC_FUNCTIONS[algorithm as keyof typeof NUMERIC_FUNCTIONS];
  const [a, b, c] = numbers;
  return { algorithmCode, numbers: packedNumber(quota) + packedNumber(a) + packedNumber(b), c };
}

/** The numbers a, b and c of a limit. The file of `lua` that decides about its algorithm says what they mean. */
function numbersOf(limit: Limit): readonly [a: number, b: number, c: number] | undefined {
  const { algorithm, windowMs = 0, align, refillUnits = 0, refillPeriodMs = 0, immediate = 0 } = limit;
  switch (algorithm) {
    case 'fixed-window':
      return [windowMs, align === 'first-request' ? 1 : 0, NO_NUMBER];
    case 'sliding-window':
    case 'sliding-window-log':
      return [windowMs, subWindowMs(limit), NO_NUMBER];
    case 'sliding-window-counter':
      return [windowMs, 0, NO_NUMBER];
    case 'token-bucket':
      return [refillUnits, refillPeriodMs, NO_NUMBER];
    case 'leaky-bucket':
      return [refillUnits, refillPeriodMs, immediate];
    default:
      return undefined;
  }
}

/** The length of a limit's sub-windows, as the state of a new key says it. */
function subWindowMs(limit: Limit): number {
  const state = definitionOf(limit).kernel.fresh(limit, 0) as { readonly subWindowMs: number };
  return state.subWindowMs;
}

/** This many numeric checks take as long as one that needs a kernel. */
const KERNEL = 2;

/** This many entries of a state that is a list take as long as a numeric check. */
const ENTRIES = 8;

/**
 * For a sliding window it is this many sub-windows, because few decisions read all of them. With the default number
 * they cost nothing.
 */
const PARTS = 32;

function sizeOf(limit: Limit, isShort: boolean): number {
  const { algorithm, buckets = 0, blockMs, countRejected } = limit;
  const listLength = ALGORITHMS[algorithm]?.listLength(limit);
  if (listLength !== undefined) return KERNEL + Math.floor(listLength / ENTRIES);
  const isFast = isShort && blockMs === undefined && countRejected === undefined;
  return Math.floor(buckets / PARTS) + (isFast ? 1 : KERNEL);
}
