import type { Limit } from '../../values/limit.js';
import { fieldInteger, type HeaderItem } from './header-item.js';
import { unitOf } from './quota-unit.js';

/** What header fields say of a limit on every request alike. */
export interface ConstantText {
  readonly name: string;
  readonly unit: string;
  /** `100` */
  readonly quota: string;
  /** `"burst"`, a String of RFC 9651. */
  readonly label: string;
  /** `"burst";q=100;w=60`, a Quota Policy Item of drafts 8 to 11. */
  readonly policy: string;
  /** The window, or the time a bucket takes to fill, rounded up; undefined if there is none of at least a second. */
  readonly windowSeconds: number | undefined;
}

/**
 * By limit, since a tier may choose another limit for every request, and forgotten with it; then by name, since chains
 * rename. A limit has one name as a rule, so a list is searched fastest.
 */
const texts = new WeakMap<Limit, ConstantText[]>();

/** The constant text of a limit under a name and in a unit, made once. */
export function constantText({ name, verdict }: HeaderItem): ConstantText {
  const { limit } = verdict;
  const unit = unitOf(verdict);
  const known = texts.get(limit);
  if (known !== undefined) {
    for (const text of known) if (text.name === name && text.unit === unit) return text;
  }
  const made = textOf(limit, name, unit);
  if (known === undefined) texts.set(limit, [made]);
  else known.push(made);
  return made;
}

function textOf(limit: Limit, name: string, unit: string): ConstantText {
  const quota = String(fieldInteger(limit.quota));
  const label = sfString(name);
  const windowSeconds = windowSecondsOf(limit);
  const quotaUnit = unit === 'requests' ? '' : `;qu=${sfString(unit)}`;
  const window = windowSeconds === undefined ? '' : `;w=${windowSeconds}`;
  return { name, unit, quota, label, policy: `${label};q=${quota}${quotaUnit}${window}`, windowSeconds };
}

/** RFC 9651 section 4.1.6, for text that is printable ASCII already. */
function sfString(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function windowSecondsOf({ windowMs, capacity, n, m }: Limit): number | undefined {
  const isBucket = capacity !== undefined && n !== undefined && m !== undefined;
  const ms = isBucket && n > 0 ? (capacity * m) / n : windowMs;
  return ms !== undefined && ms >= 1000 ? Math.ceil(ms / 1000) : undefined;
}
