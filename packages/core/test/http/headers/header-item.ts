import type { HeaderFieldOptions } from '../../../src/http/headers/field-options.js';
import { HeaderFields } from '../../../src/http/headers/fields.js';
import { type HeaderItem, isAdvertised } from '../../../src/http/headers/item.js';
import type { Verdict } from '../../../src/values/decision.js';
import type { Limit } from '../../../src/values/limit.js';

/** Makes an item like a policy does: by default for an allowed request of cost 1 on a fresh key. */
export function headerItem(limit: Limit, said: Partial<Verdict> = {}, name = said.name ?? 'burst'): HeaderItem {
  return {
    limit,
    cost: 1,
    allowed: true,
    remaining: limit.quota,
    used: 0,
    resetAfterMs: 0,
    retryAfterMs: 0,
    delayMs: 0,
    ...said,
    name,
  };
}

/** Writes the fields of the items that are advertised, as the options demand. */
export function fieldsWith(options?: HeaderFieldOptions): (items: readonly HeaderItem[]) => Record<string, string> {
  const fields = new HeaderFields(options);
  return (items) => fields.record(items.filter(isAdvertised));
}
