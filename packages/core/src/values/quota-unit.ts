/** The unit of limits that count money: millionths of a dollar. */
export const MONEY = 'micro-dollars';

/**
 * Returns what happens by default if the store of a policy fails. A policy with a limit of money fails closed: what several
 * processes have spent at the same time cannot be taken back.
 *
 * @param units - the units of its limits; undefined for requests
 */
export function usualOnStoreError(units: readonly (string | undefined)[]): 'local' | 'deny' {
  return units.includes(MONEY) ? 'deny' : 'local';
}
