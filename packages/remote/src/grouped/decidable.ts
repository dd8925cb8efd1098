import { SluiceError } from '@sluice/core/src/values/error';
import { type Group, isLeaky, isLeakyBucket, isShadow } from './groups.js';

/**
 * Checks, before any group is asked, that these groups can decide together, and that they are reachable.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED`, and the error of a group that is known to be unreachable
 */
export function checkDecidable(groups: readonly Group[]): void {
  const enforced = groups.filter((group) => !isShadow(group));
  const [first, second] = enforced.filter(isLeaky);
  if (first && second) throw inSeveralPlaces([first, second]);
  for (const { decider, checks } of enforced) {
    const error = decider.unavailable?.(checks);
    if (error) throw error;
  }
}

function inSeveralPlaces(leaky: readonly Group[]): SluiceError {
  const names = leaky.flatMap(({ checks }) => checks.filter(isLeakyBucket).map(({ name }) => JSON.stringify(name)));
  const message = `the leaky buckets ${names.join(' and ')} of one request are counted in different places, and a leaky bucket cannot give units back if another limit refuses: give them the same keyGenerator, or count each policy in one place, with hashTag: 'policy' of a RedisStore`;
  return new SluiceError('SLUICE_UNSUPPORTED', message);
}
