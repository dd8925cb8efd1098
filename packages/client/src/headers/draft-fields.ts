import { type Dictionary, type Item, parseDictionary } from 'structured-headers';
import { type AdviceParts, filledUp } from './advice-parts.js';
import type { Fields } from './fields.js';
import { itemsOf, numberOf, secondsMs, textOf } from './structured-items.js';

/** The fields of drafts 7 to 11. Those of earlier drafts are a row among the spellings. */
export const DRAFT_FIELDS = ['ratelimit-policy', 'ratelimit'] as const;

/**
 * Reads `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers, revisions 6 to 11. A field that is
 * malformed states nothing.
 */
export function draftLimits(fields: Fields): readonly AdviceParts[] {
  const policies = itemsOf(fields.get('ratelimit-policy'));
  const field = fields.get('ratelimit');
  if (field === undefined || !isDictionary(field))
    return [...namedLimits(policies, itemsOf(field)), ...quotas(policies)];
  return [...namedLimits(policies, []), ...quotas(policies), dictionaryLimit(field)];
}

/**
 * Revisions 8 to 11, sections 3 and 4: `"burst";q=100;w=60` in `RateLimit-Policy` is a limit, and `"burst";r=50;t=30` in
 * `RateLimit` states how it stands. They belong together by name and partition, and by their order if proxies made the
 * same name occur again.
 */
function namedLimits(...fields: readonly (readonly Item[])[]): readonly AdviceParts[] {
  const limits = new Map<string, AdviceParts>();
  for (const items of fields) {
    const occurrences = new Map<string, number>();
    for (const parts of items.flatMap(namedParts)) {
      const name = JSON.stringify([parts.policy, parts.partition]);
      const occurrence = (occurrences.get(name) ?? 0) + 1;
      occurrences.set(name, occurrence);
      const key = `${occurrence} ${name}`;
      limits.set(key, filledUp(limits.get(key) ?? {}, parts));
    }
  }
  return [...limits.values()];
}

function namedParts([item, parameters]: Item): readonly AdviceParts[] {
  const policy = textOf(item);
  if (policy === undefined) return [];
  const parts = {
    policy,
    partition: textOf(parameters.get('pk')),
    unit: textOf(parameters.get('qu')),
    limit: numberOf(parameters.get('q')),
    windowMs: secondsMs(parameters.get('w')),
    remaining: numberOf(parameters.get('r')),
    resetAfterMs: secondsMs(parameters.get('t')),
  };
  return [parts];
}

/** Revisions 6 (section 3.2) and 7 (section 3.5), whose policies have no names: `100;w=60, 1000;w=86400`. */
function quotas(policies: readonly Item[]): readonly AdviceParts[] {
  // The window is required.
  return policies.flatMap(quotaParts).filter(({ windowMs }) => windowMs !== undefined);
}

/** Reads the List of Integers that `RateLimit-Limit` has in revisions 0 to 5: `100, 100;w=60, 1000;w=86400`. */
export function quotaList(field: string | undefined): readonly AdviceParts[] {
  return itemsOf(field).flatMap(quotaParts);
}

function quotaParts([quota, parameters]: Item): readonly AdviceParts[] {
  if (typeof quota !== 'number') return [];
  return [{ policy: textOf(parameters.get('name')), limit: quota, windowMs: secondsMs(parameters.get('w')) }];
}

/** Whether `RateLimit` is that of revision 7. To parse it as both and see is slow, because a failed parser throws. */
function isDictionary(field: string): boolean {
  return /^ *[a-z*][a-z0-9_.*-]*=/.test(field);
}

/** Revision 7, section 3: the Dictionary `limit=100, remaining=50, reset=30` about one limit. */
function dictionaryLimit(field: string): AdviceParts {
  const dictionary = dictionaryOf(field);
  const numberAt = (name: string): number | undefined => {
    const [value] = dictionary?.get(name) ?? [];
    return typeof value === 'number' ? value : undefined;
  };
  return { limit: numberAt('limit'), remaining: numberAt('remaining'), resetAfterMs: secondsMs(numberAt('reset')) };
}

function dictionaryOf(field: string): Dictionary | undefined {
  try {
    return parseDictionary(field);
  } catch {
    return undefined;
  }
}
