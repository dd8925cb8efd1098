import { subscribe } from '@sluice/core';
import type { Log } from './log.js';

/**
 * Logs what happens to the policies and to the store. Decisions are not logged: metrics count them.
 *
 * @returns a function that ends it
 */
export function logEvents(log: Log): () => void {
  const stops = [
    subscribe('sluice:policy', ({ outcome, revision, previous, origin, changes, mistakes, by }) => {
      const what = { revision, previous, origin, by };
      // The audit has the changes themselves.
      if (outcome === 'applied') log.info({ ...what, changes: changes.length }, 'the policies are applied');
      else if (outcome === 'rejected')
        log.error({ ...what, mistakes }, 'the policies are rejected: the former ones go on');
      else log.debug(what, 'the policies are unchanged');
    }),
    subscribe('sluice:breaker', ({ state, node }) => {
      if (state === 'open') log.error({ node }, 'the store does not answer: onStoreError of each policy decides');
      else if (state === 'closed') log.info({ node }, 'the store answers again');
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
