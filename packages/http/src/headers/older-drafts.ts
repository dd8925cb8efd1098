import type { SetField } from '../node/response-fields.js';
import type { FieldWriterOf } from './field-writer.js';
import type { StatedLimit } from './stated-limit.js';

/** Returns what writes the fields about the limit that is closest to being reached. */
type TightestWriterOf = (
  named: (name: string) => string,
) => <T extends object>(target: T, set: SetField<T>, tightest: StatedLimit) => void;

/**
 * Returns the writer of a draft with fields about the tightest limit, and `RateLimit-Policy` about all limits. Both drafts
 * require the reset, so a limit without one is in no field but `RateLimit-Policy`.
 */
function writerOf(tightestWriterOf: TightestWriterOf): FieldWriterOf {
  return (named) => {
    const policy = named('RateLimit-Policy');
    const writeTightest = tightestWriterOf(named);
    return {
      write(target, set, limits, tightest) {
        const policies = quotaPolicies(limits);
        if (policies !== '') set.call(target, policy, policies);
        if (tightest?.seconds !== undefined) writeTightest(target, set, tightest);
      },
    };
  };
}

/** draft-ietf-httpapi-ratelimit-headers-06 sections 3 and 4: one field each for limit, remaining and reset. */
export const draft6Writer: FieldWriterOf = writerOf((named) => {
  const limit = named('RateLimit-Limit');
  const remaining = named('RateLimit-Remaining');
  const reset = named('RateLimit-Reset');
  return (target, set, { text, available, seconds }) => {
    set.call(target, limit, text.quota);
    set.call(target, remaining, String(available));
    set.call(target, reset, String(seconds));
  };
});

/**
 * draft-ietf-httpapi-ratelimit-headers-07 section 3: `RateLimit: limit=100, remaining=50, reset=30`, a Dictionary.
 */
export const draft7Writer: FieldWriterOf = writerOf((named) => {
  const limit = named('RateLimit');
  return (target, set, { text, available, seconds }) =>
    set.call(target, limit, `limit=${text.quota}, remaining=${available}, reset=${seconds}`);
});

/**
 * `RateLimit-Policy` of drafts 6 (section 3.2) and 7 (section 3.5): `100;w=60, 1000;w=86400`, a List of Integers with
 * the required parameter `w`. It cannot state limits without a window in whole seconds. Two policies must not have the
 * same quota: then the longest window is stated, which implies the others. Empty if there is nothing to state.
 */
function quotaPolicies(limits: readonly StatedLimit[]): string {
  const windows = new Map<string, number>();
  for (const { text } of limits) {
    const { quota, windowSeconds, countsRequests } = text;
    if (countsRequests && windowSeconds !== undefined)
      windows.set(quota, Math.max(windowSeconds, windows.get(quota) ?? 0));
  }
  let policies = '';
  for (const [quota, seconds] of windows) policies += `${policies === '' ? '' : ', '}${quota};w=${seconds}`;
  return policies;
}
