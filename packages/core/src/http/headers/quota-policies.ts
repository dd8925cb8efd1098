import { constantText } from './constant-text.js';
import type { HeaderItem } from './header-item.js';

/**
 * `RateLimit-Policy` of drafts 6 (section 3.2) and 7 (section 3.5): `100;w=60, 1000;w=86400`, a List of Integers with the
 * required parameter `w`. Limits without a window in whole seconds cannot be said in it. Two policies must not have the same
 * quota: of those the longest window is told, which implies the others. Empty if there is nothing to tell.
 */
export function quotaPolicies(items: readonly HeaderItem[]): string {
  const windows = new Map<string, number>();
  for (const item of items) {
    const { quota, windowSeconds } = constantText(item);
    if (windowSeconds !== undefined) windows.set(quota, Math.max(windowSeconds, windows.get(quota) ?? 0));
  }
  let policies = '';
  for (const [quota, seconds] of windows) policies += `${policies === '' ? '' : ', '}${quota};w=${seconds}`;
  return policies;
}
