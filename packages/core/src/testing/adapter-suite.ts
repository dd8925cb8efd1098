import type { StartAdapter } from './adapter-suite/adapter-app.js';
import { AdapterFixture, type Rules } from './adapter-suite/adapter-fixture.js';
import { addressRules } from './adapter-suite/address-rules.js';
import { admissionRules } from './adapter-suite/admission-rules.js';
import { blockRules } from './adapter-suite/block-rules.js';
import { type AdapterClaims, checkAdapterClaims, whyLeftOut } from './adapter-suite/claims.js';
import { connectionRules } from './adapter-suite/connection-rules.js';
import { costRules } from './adapter-suite/cost-rules.js';
import { decisionHookRules } from './adapter-suite/decision-hook-rules.js';
import { delayRules } from './adapter-suite/delay-rules.js';
import { failingCallbackRules } from './adapter-suite/failing-callback-rules.js';
import { fieldRules } from './adapter-suite/field-rules.js';
import { guaranteeRules } from './adapter-suite/guarantee-rules.js';
import { hostileHeaderRules } from './adapter-suite/hostile-header-rules.js';
import { listRules } from './adapter-suite/list-rules.js';
import { maxWaitRules } from './adapter-suite/max-wait-rules.js';
import { missingKeyRules } from './adapter-suite/missing-key-rules.js';
import { outcomeRules } from './adapter-suite/outcome-rules.js';
import { ownFieldRules } from './adapter-suite/own-field-rules.js';
import { refusalChoiceRules } from './adapter-suite/refusal-choice-rules.js';
import { refusalRules } from './adapter-suite/refusal-rules.js';
import { requestPoliciesRules } from './adapter-suite/request-policies-rules.js';
import { shadowRules } from './adapter-suite/shadow-rules.js';
import { slotRules } from './adapter-suite/slot-rules.js';
import { storeErrorRules } from './adapter-suite/store-error-rules.js';
import { streamRules } from './adapter-suite/stream-rules.js';
import { unitRules } from './adapter-suite/unit-rules.js';
import { globalRunner, type Runner, skipTest } from './runner.js';

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

const SUBJECTS: Readonly<Record<string, Rules>> = {
  'one limit': admissionRules,
  addresses: addressRules,
  'hostile header fields': hostileHeaderRules,
  'header fields': fieldRules,
  'requests without a key': missingKeyRules,
  "fields of one's own": ownFieldRules,
  'units of limits': unitRules,
  'lists and skip': listRules,
  'blocks by hand': blockRules,
  'costs and several limits': costRules,
  'guaranteed parts': guaranteeRules,
  'several policies of a request': requestPoliciesRules,
  'limits that are not enforced': shadowRules,
  'a leaky bucket': delayRules,
  'refused requests that may wait': maxWaitRules,
  slots: slotRules,
  'the outcome of a request': outcomeRules,
  'streamed answers': streamRules,
  refusals: refusalRules,
  'refusals by decision': refusalChoiceRules,
  'the hook of every decision': decisionHookRules,
  'callbacks that fail': failingCallbackRules,
  'a lost store': storeErrorRules,
  connections: connectionRules,
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
  runner: Runner = globalRunner(),
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
