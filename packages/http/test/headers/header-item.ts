import { expect } from '@jest/globals';
import type { Verdict } from '@sluice/core/src/values/decision';
import type { Limit } from '@sluice/core/src/values/limit';
import type { HeaderFieldOptions } from '../../src/headers/field-options.js';
import { HeaderFields } from '../../src/headers/fields.js';
import { type HeaderItem, isAdvertised } from '../../src/headers/item.js';

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

/** Writes the fields of the items that are advertised, as the options demand, in both forms. */
export function fieldsWith(options?: HeaderFieldOptions): (items: readonly HeaderItem[]) => Record<string, string> {
  const fields = new HeaderFields(options);
  return (items) => {
    const advertised = items.filter(isAdvertised);
    const record = fields.record(advertised);
    expect(fields.raw(advertised)).toEqual(Object.entries(record).flat());
    return record;
  };
}
