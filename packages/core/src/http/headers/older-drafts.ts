import {
  availableUnits,
  constantText,
  effectiveSeconds,
  type FieldWriterOf,
  type HeaderItem,
  tightestOf,
} from './item.js';

/**
 * draft-ietf-httpapi-ratelimit-headers-06 sections 3 and 4: one field each for limit, remaining and reset of the limit
 * that is closest to being reached, and `RateLimit-Policy` about all limits. `RateLimit-Limit` requires
 * `RateLimit-Reset`, so a limit without a reset has none of the three.
 */
export const draft6Writer: FieldWriterOf = (named) => {
  const policy = named('RateLimit-Policy');
  const limit = named('RateLimit-Limit');
  const remaining = named('RateLimit-Remaining');
  const reset = named('RateLimit-Reset');
  return (target, set, items) => {
    const tightest = tightestOf(items);
    const policies = quotaPolicies(items);
    if (policies !== '') set.call(target, policy, policies);
    const seconds = effectiveSeconds(tightest);
    if (seconds === undefined) return;
    set.call(target, limit, constantText(tightest).quota);
    set.call(target, remaining, String(availableUnits(tightest)));
    set.call(target, reset, String(seconds));
  };
};

/**
 * draft-ietf-httpapi-ratelimit-headers-07 section 3: `RateLimit: limit=100, remaining=50, reset=30`, a Dictionary about
 * the limit that is closest to being reached, and `RateLimit-Policy` about all limits. `reset` is required, so a limit
 * without a reset has no `RateLimit`.
 */
export const draft7Writer: FieldWriterOf = (named) => {
  const policy = named('RateLimit-Policy');
  const limit = named('RateLimit');
  return (target, set, items) => {
    const tightest = tightestOf(items);
    const policies = quotaPolicies(items);
    if (policies !== '') set.call(target, policy, policies);
    const seconds = effectiveSeconds(tightest);
    if (seconds === undefined) return;
    const { quota } = constantText(tightest);
    set.call(target, limit, `limit=${quota}, remaining=${availableUnits(tightest)}, reset=${seconds}`);
  };
};

/**
 * `RateLimit-Policy` of drafts 6 (section 3.2) and 7 (section 3.5): `100;w=60, 1000;w=86400`, a List of Integers with
 * the required parameter `w`. It cannot state limits without a window in whole seconds. Two policies must not have the
 * same quota: then the longest window is stated, which implies the others. Empty if there is nothing to state.
 */
function quotaPolicies(items: readonly HeaderItem[]): string {
  const windows = new Map<string, number>();
  for (const item of items) {
    const { quota, windowSeconds } = constantText(item);
    if (windowSeconds !== undefined) windows.set(quota, Math.max(windowSeconds, windows.get(quota) ?? 0));
  }
  let policies = '';
  for (const [quota, seconds] of windows) policies += `${policies === '' ? '' : ', '}${quota};w=${seconds}`;
  return policies;
}
