import type { AdviceParts } from './advice-parts.js';
import { quotaList } from './draft-fields.js';
import type { Fields } from './fields.js';
import { readDelayMs, readNumber, readUnits } from './quantities.js';
import { SPELLINGS, type SpelledTime, type SpelledUsage, type Spelling, USAGES } from './spellings.js';

/** A spelling with all its names written out. */
interface Row extends Spelling {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
  /** The three of them: a field belongs to one row. */
  readonly own: readonly string[];
}

const ROWS: readonly Row[] = SPELLINGS.map((spelling) => {
  const named = (what: string): string => spelling.names.replace('*', what);
  const { limit = named('limit'), remaining = named('remaining'), reset = named('reset') } = spelling;
  return { ...spelling, limit, remaining, reset, own: [limit, remaining, reset] };
});

/** The names of all fields that the spellings have. */
export const SPELLED_FIELDS: readonly string[] = [
  ...ROWS.flatMap((row) => [
    ...[...row.own, row.used, row.marker],
    ...[fieldOf(row.policy), fieldOf(row.window), row.refill?.field, fieldOf(row.refill?.period)],
  ]),
  ...USAGES.map(({ field }) => field),
].filter((name) => name !== undefined);

/** Used units and a limit: `32/40`. */
const USAGE = /^(\d{1,15})\/(\d{1,15})(?!\d)/;

/**
 * Reads the limits that a server states in one of the known spellings.
 *
 * @param nowMs - the time by the clock of the server
 */
export function spelledLimits(fields: Fields, nowMs: number): readonly AdviceParts[] {
  const limits: AdviceParts[] = [];
  const taken = new Set<string>();
  for (const row of ROWS) {
    if (row.marker !== undefined && !fields.has(row.marker)) continue;
    let isStated = false;
    for (const name of row.own) {
      if (!fields.has(name) || taken.has(name)) continue;
      taken.add(name);
      isStated = true;
    }
    if (isStated) limits.push(...limitsOf(row, fields, nowMs));
  }
  for (const usage of USAGES) limits.push(...usageLimits(usage, fields));
  return limits;
}

function usageLimits({ field, member = '', window }: SpelledUsage, fields: Fields): readonly AdviceParts[] {
  const members = fields.get(field)?.split(/[,;]/) ?? [];
  const numbers = members.map((text) => text.trim()).find((text) => text.startsWith(member));
  const [, used, limit] = USAGE.exec(numbers?.slice(member.length) ?? '') ?? [];
  if (used === undefined || limit === undefined) return [];
  return [{ limit: Number(limit), windowMs: window, remaining: Math.max(0, Number(limit) - Number(used)) }];
}

function limitsOf(row: Row, fields: Fields, nowMs: number): readonly AdviceParts[] {
  const limitText = fields.get(row.limit);
  // Some answers of Azure state a limit of -1 or 0, and nothing left of it. They mean that they do not know. -1 is no limit anywhere.
  if (Number(limitText) < (row.isZeroUnknown ? 1 : 0)) return [];
  const [tightest = {}, ...others] = statedLimits(limitText);
  const { limit } = tightest;
  const tightestParts = {
    policy: textOf(row.policy, fields),
    unit: row.unit,
    limit,
    windowMs: timeMs(row.window, fields) ?? fillMs(row, limit, fields) ?? tightest.windowMs,
    remaining: remainingOf(row, limit, fields),
    resetAfterMs: readDelayMs(fields.get(row.reset), nowMs),
  };
  return [tightestParts, ...others.map((other) => ({ unit: row.unit, ...other }))];
}

/**
 * Reads the field of the limit: a number, or a number and policies: `100, 100;w=60, 1000;w=3600` of drafts 0 to 5, Envoy
 * and Docker Hub. Other lists may be anything: two servers, or a number with a comma in it.
 */
function statedLimits(text: string | undefined): readonly AdviceParts[] {
  const limit = readUnits(text);
  if (limit !== undefined) return [{ limit }];
  const [first, ...policies] = quotaList(text);
  return first && policies.every(({ windowMs }) => windowMs !== undefined) ? [first, ...policies] : [];
}

function remainingOf({ remaining, used }: Row, limit: number | undefined, fields: Fields): number | undefined {
  // Docker Hub adds the window, as to the limit.
  const stated = readUnits(fields.get(remaining)?.split(';', 1)[0]);
  if (stated !== undefined || used === undefined || limit === undefined) return stated;
  const usedUnits = readUnits(fields.get(used));
  return usedUnits === undefined ? undefined : Math.max(0, limit - usedUnits);
}

/** The time that a token bucket takes to fill, which is the window that its capacity is for. */
function fillMs({ refill }: Row, capacity: number | undefined, fields: Fields): number | undefined {
  const units = refill && readNumber(fields.get(refill.field));
  const periodMs = refill && timeMs(refill.period, fields);
  return units && periodMs && capacity ? Math.ceil((capacity / units) * periodMs) : undefined;
}

function timeMs(time: number | SpelledTime | undefined, fields: Fields): number | undefined {
  if (typeof time !== 'object') return time;
  const number = readNumber(fields.get(time.field));
  return number === undefined ? undefined : number * time.unitMs;
}

function textOf(text: Spelling['policy'], fields: Fields): string | undefined {
  return typeof text === 'object' ? fields.get(text.field) : text;
}

function fieldOf(value: string | number | { readonly field: string } | undefined): string | undefined {
  return typeof value === 'object' ? value.field : undefined;
}
