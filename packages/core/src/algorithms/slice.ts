import { optionError } from '../values/error.js';

/** The least default, and the share of the limit that it is. Up to ten times the least, the share does not matter. */
const LEAST_UNITS = 10;
const SHARE = 0.1;

/**
 * Checks the option `slice` of a `SyncedStore`: units, or a share of the limit.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkSlice(slice: number | undefined): number | undefined {
  const isUnits = Number.isSafeInteger(slice) && (slice as number) >= 1;
  const isShare = typeof slice === 'number' && slice > 0 && slice < 1;
  if (slice === undefined || isUnits || isShare) return slice;
  throw optionError('slice', 'must be a whole number of at least 1, or a share of the limit between 0 and 1', slice);
}

/** Returns the most units of a limit with this quota that an instance admits before it synchronizes. */
export function sliceUnits(slice: number | undefined, quota: number): number {
  if (slice === undefined) return Math.max(LEAST_UNITS, Math.floor(SHARE * quota));
  return slice < 1 ? Math.max(1, Math.floor(slice * quota)) : slice;
}
