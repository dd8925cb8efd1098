import type { HeaderItem } from './header-item.js';

/**
 * Writes a draft's fields.
 *
 * @param items - of at least one limit, all to be advertised.
 * @param tightest - the one to tell of where there is room for one.
 */
export type FieldWriter = (fields: Record<string, string>, items: readonly HeaderItem[], tightest: HeaderItem) => void;
