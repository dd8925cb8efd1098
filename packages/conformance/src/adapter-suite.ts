import type { StartAdapter } from './adapter-suite/adapter-app.js';
import { AdapterFixture, type Rules, type Subjects } from './adapter-suite/adapter-fixture.js';
import { type AdapterClaims, checkAdapterClaims, whyLeftOut } from './adapter-suite/claims.js';
import { CALLER_SUBJECTS } from './adapter-suite/subjects/callers.js';
import { END_SUBJECTS } from './adapter-suite/subjects/ends.js';
import { FAILURE_SUBJECTS } from './adapter-suite/subjects/failures.js';
import { LIMIT_SUBJECTS } from './adapter-suite/subjects/limits.js';
import { RESPONSE_SUBJECTS } from './adapter-suite/subjects/responses.js';
import { type Runner, runnerOf, skipTest } from './runner.js';

export type {
  AdapterAnswer,
  AdapterApp,
  AdapterOptions,
  AdapterRequest,
  AdapterTools,
  RunningAdapter,
  StartAdapter,
} from './adapter-suite/adapter-app.js';
export type { AdapterClaims } from './adapter-suite/claims.js';

const SUBJECTS: Subjects = {
  ...LIMIT_SUBJECTS,
  ...CALLER_SUBJECTS,
  ...RESPONSE_SUBJECTS,
  ...END_SUBJECTS,
  ...FAILURE_SUBJECTS,
};

/**
 * Tests an adapter: in every framework, the same requests have to get the same responses. All tests run over a
 * synchronous store, and again over an asynchronous one. They use a manual clock and real connections on the loopback
 * interface.
 *
 * @param name - the name of the adapter and its framework; the tests are listed under it
 * @param start - serves an application that the suite describes; called once per test, and closed after it
 * @param claims - what the adapter can do: true, or text that says why it cannot. An adapter that has not got what it claims
 * fails, and so does one that has more. The suite reports the tests that it leaves out, with the reason
 * @param runner - default: the global `describe` and `it`
 * @throws SluiceError `SLUICE_OPTION` if a claim is missing, or if there is no runner
 * @example adapterSuite('Express 5', startOn(express), { handlerEnds: 'Express does not tell when a handler ends' });
 */
export function adapterSuite(
  name: string,
  start: StartAdapter,
  claims: AdapterClaims,
  runner: Runner = runnerOf(),
): void {
  checkAdapterClaims(claims);
  const { describe, it } = runner;
  const test = (title: string, rule: Rules[string], isAsync: boolean): void => {
    const { perform, handlerEnds } = typeof rule === 'function' ? { perform: rule, handlerEnds: undefined } : rule;
    const lack = whyLeftOut(claims, handlerEnds);
    if (lack === undefined) it(title, () => performOn(new AdapterFixture(start, isAsync, claims), perform));
    else skipTest(runner, `${title} (${lack})`);
  };
  const listRules = (isAsync: boolean): void => {
    for (const [subject, rules] of Object.entries(SUBJECTS)) {
      describe(subject, () => {
        for (const [title, rule] of Object.entries(rules)) test(title, rule, isAsync);
      });
    }
  };
  describe(name, () => {
    describe('over a synchronous store', () => listRules(false));
    describe('over an asynchronous store', () => listRules(true));
  });
}

async function performOn(fixture: AdapterFixture, perform: (fixture: AdapterFixture) => Promise<void>): Promise<void> {
  try {
    await perform(fixture);
  } finally {
    await fixture.close();
  }
}
