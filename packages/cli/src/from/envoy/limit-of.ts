import type { LimitSpec, Note } from '../conversion.js';
import { isLimit } from '../is-limit.js';
import { UNLIMITED } from '../tiers.js';
import { type Rule, textOf } from './descriptors.js';

/** The limit of a rule; undefined if it is not valid. */
interface RuleLimit {
  readonly spec: LimitSpec | undefined;
  readonly isUnlimited: boolean;
  /** It only counts. */
  readonly isShadow: boolean;
  readonly notes: readonly Note[];
}

/** The service divides Unix time by these lengths: a month has 30 days and a year 365. */
const WINDOWS: Readonly<Record<string, string>> = {
  second: '1s',
  minute: '1m',
  hour: '1h',
  day: '1d',
  week: '7d',
  month: '30d',
  year: '365d',
};

/**
 * Returns the limit of a rule: a fixed window that begins at multiples of its length.
 *
 * @see https://github.com/envoyproxy/ratelimit#rate-limit-definition
 */
export function limitOf(rule: Rule): RuleLimit {
  const { limit, descriptor, entries } = rule;
  const from: Note = { kind: 'from', text: `${textOf(entries)} (${descriptor.place})` };
  const notes = [from, ...flagNotes(rule)];
  if (!limit.exists || limit.get('unlimited').isTrue)
    return { spec: UNLIMITED, isUnlimited: true, isShadow: false, notes };
  const quota = limit.get('requests_per_unit').number;
  const unit = limit.get('unit').text?.toLowerCase() ?? '';
  const window = WINDOWS[unit];
  const spec = { algorithm: 'fixed-window', limit: quota, window, align: 'clock' };
  if (window === undefined || !isLimit(spec)) {
    const text = `${textOf(entries)} (${limit.place}): ${window === undefined ? `the unit ${unit}` : 'requests_per_unit'} is not valid`;
    return { spec: undefined, isUnlimited: false, isShadow: false, notes: [{ kind: 'left out', text }] };
  }
  const isShadow = descriptor.get('shadow_mode').isTrue;
  if (isShadow) notes.push({ kind: 'from', text: 'shadow_mode: true: it is counted, and refuses nobody' });
  if (unit === 'month' || unit === 'year')
    notes.push({
      kind: 'from',
      text: `a ${unit} of this service has ${unit === 'month' ? 30 : 365} days. For calendar months write window: { unit: month, timeZone: UTC }`,
    });
  return { spec, isUnlimited: false, isShadow, notes };
}

/** Flags that have no place in a policy file. */
function flagNotes({ limit, descriptor, entries }: Rule): Note[] {
  const notes: Note[] = [];
  const replaced = limit.get('replaces').items.map((other) => other.get('name').text ?? '?');
  if (replaced.length > 0)
    notes.push({
      kind: 'left out',
      text: `replaces: ${replaced.join(', ')}: where this rule holds, the service ignores those. Here a request is asked about each policy on its route: put only this one on it`,
    });
  if (descriptor.get('quota_mode').isTrue || limit.get('quota_mode').isTrue)
    notes.push({ kind: 'left out', text: 'quota_mode: here the limit refuses as others do' });
  if (entries.some(({ value }) => value?.endsWith('*')))
    notes.push({
      kind: 'differs',
      text: descriptor.get('share_threshold').isTrue
        ? 'share_threshold: all values with this beginning are counted together, as long as the policy is on their route'
        : 'the service counts each value with this beginning by itself',
    });
  return notes;
}
