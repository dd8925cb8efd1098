import type { PolicyChange } from '@sluice/config';

/** The guard of `@sluice/config` rejects a change by more. */
const LARGEST_FACTOR = 10;

/** Returns why somebody should look at a change before it is applied; undefined if it is an ordinary one. */
export function riskOf({ path, to, factor, forgets }: PolicyChange): string | undefined {
  if (forgets !== undefined) return `it forgets ${forgets}`;
  if (path === 'enforcement' && to !== 'on') return 'no request is refused any more';
  if (factor !== undefined && (factor > LARGEST_FACTOR || factor < 1 / LARGEST_FACTOR)) {
    return `it is more than ${LARGEST_FACTOR} times ${factor > 1 ? 'larger' : 'smaller'}, so the guard rejects it unless the file accepts it`;
  }
  return undefined;
}
