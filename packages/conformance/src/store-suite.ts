import type { Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { checkOptions } from '@sluice/core/values';
import { type Runner, runnerOf, skipTest } from './runner.js';
import { type BesideRules, besideRules } from './store-suite/beside-rules.js';
import { assertClaims, checkClaims, lackOf, type StoreClaims } from './store-suite/claims.js';
import { peekVariously } from './store-suite/peek-rules.js';
import { needsOf, playVector } from './store-suite/play-vector.js';
import { type Rules, ruleOf, StoreFixture, type Subjects } from './store-suite/store-fixture.js';
import { DECISION_SUBJECTS } from './store-suite/subjects/decisions.js';
import { STATE_SUBJECTS } from './store-suite/subjects/states.js';
import { VECTORS } from './vectors.js';

const SUBJECTS: Subjects = {
  ...DECISION_SUBJECTS,
  ...STATE_SUBJECTS,
};

/** What `storeSuite` may be told beside the claims. */
export interface StoreSuiteOptions extends Partial<Runner> {
  /**
   * Makes another store that counts in the same place as the last store that `make` got this clock for. Give it if a program can have two
   * such stores. The suite closes it.
   */
  beside?(clock: ManualClock): Store | Promise<Store>;
  /**
   * Whether each vector is played a second time, with peeks between its steps. Default: true. With `false`, the suite asks half as often,
   * and reports these tests as left out. That is enough for a second way to a store that has passed the whole suite, such as another client
   * of the same database.
   */
  readonly peeks?: boolean;
}

/**
 * Tests a store: every vector of this package, and one test for each rule of the contract. A store that passes works
 * under every limiter. A wrapper around a store has to pass the same suite.
 *
 * `make` is called for every test. Its store must be empty and use the given clock. The suite closes it after the test.
 *
 * @param claims - what the store can do. Each capability is true, or text that says why the store has not got it. A store that
 * has not got what it claims fails, and so does one that has more. The suite reports the tests that it leaves out, with the
 * reason.
 * @throws SluiceError `SLUICE_OPTION` if a claim is missing, if an option is unknown, or if there is no `describe` and `it`
 * @example
 * storeSuite('MyStore', (clock) => new MyStore({ clock }), {
 *   exact: true,
 *   acrossKeys: true,
 *   margins: true,
 *   guarantees: true,
 *   calendars: true,
 *   blocks: 'the database keeps no lists',
 *   algorithms: true,
 * });
 */
export function storeSuite(
  name: string,
  make: (clock: ManualClock) => Store | Promise<Store>,
  claims: StoreClaims,
  options: StoreSuiteOptions = {},
): void {
  checkClaims(claims);
  checkOptions(options, ['describe', 'it', 'beside', 'peeks'], 'options');
  const { beside, peeks = true } = options;
  const runner = runnerOf(options);
  const leftOut = new Map<string, number>();
  const leaveOut = (title: string, why: string): void => {
    skipTest(runner, `${title} (${why})`);
    leftOut.set(why, (leftOut.get(why) ?? 0) + 1);
  };
  const test = (title: string, rule: Rules[string]): void => {
    const { needs, run } = ruleOf(rule);
    const lack = lackOf(claims, needs);
    if (lack !== undefined) {
      leaveOut(title, lack);
      return;
    }
    runner.it(title, async () => {
      const clock = new ManualClock();
      const store = await make(clock);
      try {
        await run(new StoreFixture(store, clock));
      } finally {
        await store.close();
      }
    });
  };

  runner.describe(name, () => {
    test('has what it claims, and claims what it has', ({ store }) => assertClaims(store, claims));
    for (const { file, cases } of VECTORS) {
      runner.describe(file, () => {
        for (const vector of cases) {
          const needs = needsOf(vector);
          test(vector.name, { needs, run: (fixture) => playVector(fixture, vector) });
          const title = `${vector.name}, with peeks between the steps`;
          if (peeks) test(title, { needs, run: (fixture) => playVector(fixture, vector, peekVariously) });
          else leaveOut(title, 'peeks: false');
        }
      });
    }
    if (beside) {
      const testBoth = (title: string, rule: BesideRules[string]): void => {
        test(title, async (fixture) => {
          const other = await beside(fixture.clock);
          try {
            await rule(fixture, other);
          } finally {
            await other.close();
          }
        });
      };
      runner.describe('two stores in one place', () => {
        for (const [title, rule] of Object.entries(besideRules)) testBoth(title, rule);
      });
    }
    for (const [subject, rules] of Object.entries(SUBJECTS)) {
      runner.describe(subject, () => {
        for (const [title, rule] of Object.entries(rules)) test(title, rule);
      });
    }
  });
  for (const [why, tests] of leftOut) {
    // A Worker has no output. There, only the titles of the tests say it.
    globalThis.process?.stdout?.write(
      `${name}: ${tests === 1 ? '1 test is' : `${tests} tests are`} left out, ${why}\n`,
    );
  }
}
