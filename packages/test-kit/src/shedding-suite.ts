import { describe, it } from '@jest/globals';
import { callbackRules } from './shedding/callback-rules.js';
import { connectionRules } from './shedding/connection-rules.js';
import { endingRules } from './shedding/ending-rules.js';
import { exemptionRules } from './shedding/exemption-rules.js';
import { limitRules } from './shedding/limit-rules.js';
import { originRules } from './shedding/origin-rules.js';
import { priorityRules } from './shedding/priority-rules.js';
import { refusalRules } from './shedding/refusal-rules.js';
import type { StartShedding } from './shedding/shedding-app.js';
import { SheddingFixture, type SheddingRules } from './shedding/shedding-fixture.js';
import { stateRules } from './shedding/state-rules.js';

export type {
  RequestOf,
  RunningShedding,
  SheddingAnswer,
  SheddingApp,
  SheddingOptions,
  SheddingRequest,
  StartShedding,
} from './shedding/shedding-app.js';

const SUBJECTS: Readonly<Record<string, SheddingRules>> = {
  'a refused request': refusalRules,
  'the permit of a request': endingRules,
  'requests that are never refused': exemptionRules,
  'the priority of a request': priorityRules,
  'the tenant and the bulkhead of a request': originRules,
  'a callback that fails': callbackRules,
  'a connection': connectionRules,
  'the state in a handler': stateRules,
  'limits behind load shedding': limitRules,
};

/**
 * Tests the load shedding of an adapter: in every framework, the same requests have to be refused in the same way, and
 * every permit has to end once. The tests use real connections on the loopback interface, and a shedder that does not look
 * at the event loop, so the speed of the machine changes nothing.
 *
 * @param name - the name of the adapter and its framework; the tests are listed under it
 * @param start - serves an application that the suite describes; called once per test, and closed after it
 * @example sheddingSuite('Express 5', startSheddingOn(express));
 */
export function sheddingSuite(name: string, start: StartShedding): void {
  describe(`Load shedding of ${name}`, () => {
    describe.each(Object.entries(SUBJECTS))('%s', (_subject, rules) => {
      it.each(Object.entries(rules))('%s', async (_title, rule) => {
        const fixture = new SheddingFixture(start);
        try {
          await rule(fixture);
        } finally {
          await fixture.close();
        }
      });
    });
  });
}
