import type { HeaderItem } from './header-item.js';

/**
 * Writes a draft's fields.
 *
 * @param items - of at least one limit, all to be advertised.
 */
export type FieldWriter = (fields: Record<string, string>, items: readonly HeaderItem[]) => void;
