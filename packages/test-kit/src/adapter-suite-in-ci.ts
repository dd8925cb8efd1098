import { describe, it } from '@jest/globals';
import type { Runner } from '@sluice/conformance';

/** Whether every rule runs over both kinds of stores, as `npm run proof -- suites` does. */
const IS_FULL = process.env.SLUICE_SUITES === 'full';

/**
 * Runs the suite of adapters as CI does: each rule once, over a synchronous store and an asynchronous one by turns. All hosts share the code
 * that decides. Half of them begin with the other kind, so that each rule meets both kinds on several hosts.
 *
 * @param first - the store of the first rule
 */
export function inCi(
  first: 'synchronous' | 'asynchronous',
  runner: Runner = { describe, it },
  isFull = IS_FULL,
): Runner {
  if (isFull) return runner;
  let isWanted = true;
  const inTurn =
    (register: Runner['it']) =>
    (title: string, body: () => Promise<void>): void => {
      if (isWanted) register(title, body);
      isWanted = !isWanted;
    };
  const { skip = runner.it } = runner.it;
  return {
    describe(title, body) {
      if (title.endsWith('synchronous store')) isWanted = title.endsWith(` ${first} store`);
      runner.describe(title, body);
    },
    it: Object.assign(inTurn(runner.it), { skip: inTurn(skip) }),
  };
}
