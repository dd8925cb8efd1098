import { isTighter } from '../../limiter/decision-builder.js';
import type { HeaderItem } from './header-item.js';

/** The item to tell of where there is room for one. */
export function tightestOf(items: readonly HeaderItem[]): HeaderItem {
  return items.reduce(tighter);
}

const tighter = (one: HeaderItem, other: HeaderItem): HeaderItem =>
  isTighter(other.verdict, one.verdict) ? other : one;
