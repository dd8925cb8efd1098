import type { StartAdapter } from './adapter-suite/adapter-app.js';
import { addressRules } from './adapter-suite/address-rules.js';
import { admissionRules } from './adapter-suite/admission-rules.js';
import { chainRules } from './adapter-suite/chain-rules.js';
import { connectionRules } from './adapter-suite/connection-rules.js';
import { costRules } from './adapter-suite/cost-rules.js';
import { decisionHookRules } from './adapter-suite/decision-hook-rules.js';
import { delayRules } from './adapter-suite/delay-rules.js';
import { failingCallbackRules } from './adapter-suite/failing-callback-rules.js';
import { fieldRules } from './adapter-suite/field-rules.js';
import { hostileHeaderRules } from './adapter-suite/hostile-header-rules.js';
import { listRules } from './adapter-suite/list-rules.js';
import { missingKeyRules } from './adapter-suite/missing-key-rules.js';
import { outcomeRules } from './adapter-suite/outcome-rules.js';
import { ownFieldRules } from './adapter-suite/own-field-rules.js';
import { refusalRules } from './adapter-suite/refusal-rules.js';
import { shadowRules } from './adapter-suite/shadow-rules.js';
import { slotRules } from './adapter-suite/slot-rules.js';
import { type Rules, Stage } from './adapter-suite/stage.js';
import { storeErrorRules } from './adapter-suite/store-error-rules.js';
import { streamRules } from './adapter-suite/stream-rules.js';
import { unitRules } from './adapter-suite/unit-rules.js';
import { globalRunner, type Runner } from './runner.js';

export type {
  AdapterAnswer,
  AdapterApp,
  AdapterOptions,
  AdapterRequest,
  AdapterTools,
  RunningAdapter,
  StartAdapter,
} from './adapter-suite/adapter-app.js';

const SUBJECTS: Readonly<Record<string, Rules>> = {
  'one limit': admissionRules,
  addresses: addressRules,
  'hostile header fields': hostileHeaderRules,
  'header fields': fieldRules,
  'requests without a key': missingKeyRules,
  "fields of one's own": ownFieldRules,
  'units of limits': unitRules,
  'lists and skip': listRules,
  'costs and several limits': costRules,
  'a chain of policies': chainRules,
  'limits that are not enforced': shadowRules,
  'a leaky bucket': delayRules,
  slots: slotRules,
  'the outcome of a request': outcomeRules,
  'streamed answers': streamRules,
  refusals: refusalRules,
  'the hook of every decision': decisionHookRules,
  'callbacks that fail': failingCallbackRules,
  'a lost store': storeErrorRules,
  connections: connectionRules,
};

/**
 * Tests an adapter: whatever the framework, the same requests get the same answers. Everything runs over a store that
 * answers at once, and again over one that answers by promises. Time is a manual clock's; the network is the loopback.
 *
 * @param name - of the adapter and its framework: the tests are listed under it.
 * @param start - serves an application that the suite describes; called once per test, and closed after it.
 * @param runner - default: the global `describe` and `it`.
 * @throws SluiceError `SLUICE_OPTION` when there is no runner.
 * @example adapterSuite('Express 5', startOn(express));
 */
export function adapterSuite(name: string, start: StartAdapter, runner: Runner = globalRunner()): void {
  const { describe, it } = runner;
  const stagesOf = (isAsync: boolean): void => {
    for (const [subject, rules] of Object.entries(SUBJECTS)) {
      describe(subject, () => {
        for (const [sentence, rule] of Object.entries(rules)) it(sentence, () => perform(rule, start, isAsync));
      });
    }
  };
  describe(name, () => {
    describe('over a store that answers at once', () => stagesOf(false));
    describe('over a store that answers by promises', () => stagesOf(true));
  });
}

async function perform(rule: Rules[string], start: StartAdapter, isAsync: boolean): Promise<void> {
  const stage = new Stage(start, isAsync);
  try {
    await rule(stage);
  } finally {
    await stage.close();
  }
}
