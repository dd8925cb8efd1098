import type { PolicyChange, SettingValue } from '@sluice/config';

/** The guard of `@sluice/config` rejects a change by more. */
const LARGEST_FACTOR = 10;

/**
 * Returns why somebody should look at a change before it is applied; undefined if it is an ordinary one.
 *
 * @param changes - all changes of the file
 */
export function riskOf(change: PolicyChange, changes: readonly PolicyChange[]): string | undefined {
  const { path, to, factor, forgets } = change;
  if (forgets !== undefined) return `it forgets ${forgets}`;
  if (path === 'enforcement' && to !== 'on') return 'no request is refused any more';
  if (isEnforcedLess(change, changes)) return 'requests of some keys, or of all, are refused no more';
  if (factor !== undefined && (factor > LARGEST_FACTOR || factor < 1 / LARGEST_FACTOR)) {
    return `it is more than ${LARGEST_FACTOR} times ${factor > 1 ? 'larger' : 'smaller'}, so the guard rejects it unless the file accepts it`;
  }
  return undefined;
}

/** Whether a policy or a limit is enforced for fewer keys than before. */
function isEnforcedLess({ path, from, to }: PolicyChange, changes: readonly PolicyChange[]): boolean {
  if (path.endsWith('.enforce')) return sharedBy(to) < sharedBy(from);
  if (!path.endsWith('.rollout') || from !== undefined) return false;
  const before = changes.find((other) => other.path === path.replace(/rollout$/, 'enforce'));
  // Most rollouts begin where nothing was enforced.
  return sharedBy(before?.from) > 0;
}

/** For which share of keys a value of `enforce` enforces. `mark` refuses nobody. */
function sharedBy(enforce: SettingValue | undefined): number {
  return enforce === undefined ? 1 : typeof enforce === 'number' ? enforce : 0;
}
