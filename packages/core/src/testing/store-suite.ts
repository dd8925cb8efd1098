import type { Store } from '../stores/store.js';
import { ManualClock } from './manual-clock.js';
import { globalRunner, type Runner } from './runner.js';
import { Bench, type Rules } from './store-suite/bench.js';
import { type BesideRules, besideRules } from './store-suite/beside-rules.js';
import { closingRules } from './store-suite/closing-rules.js';
import { forgettingRules } from './store-suite/forgetting-rules.js';
import { identityRules } from './store-suite/identity-rules.js';
import { lookAround, lookingRules } from './store-suite/looking-rules.js';
import { onceRules } from './store-suite/once-rules.js';
import { playVector } from './store-suite/play-vector.js';
import { refusalRules } from './store-suite/refusal-rules.js';
import { slotRules } from './store-suite/slot-rules.js';
import { timeRules } from './store-suite/time-rules.js';
import { togetherRules } from './store-suite/together-rules.js';
import { VECTORS } from './vectors.js';

const RULES: Readonly<Record<string, Rules>> = {
  'several checks': togetherRules,
  looks: lookingRules,
  'counted refusals': refusalRules,
  identity: identityRules,
  'at most once': onceRules,
  slots: slotRules,
  'deadlines and calendars': timeRules,
  forgetting: forgettingRules,
  closing: closingRules,
};

/**
 * The tests of a Store: every vector of this package, and one test for each rule of the contract. A store that passes
 * works under every limiter; a wrapper around a store passes the same suite.
 *
 * `make` is called for every test. The store that it returns is empty, lives by the given clock, and is closed when the
 * test is over. `runner` defaults to the `describe` and `it` among the globals.
 *
 * @param beside - makes another store that counts in the same place as the one that `make` returned last; give it where a
 * program can have two such stores. The suite closes it.
 * @throws SluiceError `SLUICE_OPTION` where no runner is given and there is none among the globals.
 * @example storeSuite('MyStore', (clock) => new MyStore({ clock }));
 */
export function storeSuite(
  name: string,
  make: (clock: ManualClock) => Store | Promise<Store>,
  runner: Runner = globalRunner(),
  beside?: (clock: ManualClock) => Store | Promise<Store>,
): void {
  const test = (sentence: string, rule: (bench: Bench) => Promise<void>): unknown =>
    runner.it(sentence, async () => {
      const clock = new ManualClock();
      const store = await make(clock);
      try {
        await rule(new Bench(store, clock));
      } finally {
        await store.close();
      }
    });

  runner.describe(name, () => {
    for (const { file, cases } of VECTORS) {
      runner.describe(file, () => {
        for (const vector of cases) {
          test(vector.name, (bench) => playVector(bench, vector));
          test(`${vector.name}, however often it is looked at`, (bench) => playVector(bench, vector, lookAround));
        }
      });
    }
    if (beside) {
      const testBoth = (sentence: string, rule: BesideRules[string]): void => {
        test(sentence, async (bench) => {
          const other = await beside(bench.clock);
          try {
            await rule(bench, other);
          } finally {
            await other.close();
          }
        });
      };
      runner.describe('two stores in one place', () => {
        for (const [sentence, rule] of Object.entries(besideRules)) testBoth(sentence, rule);
      });
    }
    for (const [group, rules] of Object.entries(RULES)) {
      runner.describe(group, () => {
        for (const [sentence, rule] of Object.entries(rules)) test(sentence, rule);
      });
    }
  });
}
