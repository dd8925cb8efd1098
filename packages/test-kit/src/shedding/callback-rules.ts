import { expect } from '@jest/globals';
import { emittedWarnings } from '../emitted-warnings.js';
import type { SheddingOptions } from './shedding-app.js';
import { byClass, type SheddingRules } from './shedding-fixture.js';

const fail = (): never => {
  throw new Error('the callback failed');
};
const reject = (): never => Promise.reject(new Error('the callback failed')) as never;
const later = (): never => Promise.resolve('critical') as never;
const wrong = (): never => 'urgent' as never;
/** What a parser of queries makes of `?class=low&class=low`. */
const repeated = (): never => ['low', 'low'] as never;

/** The callbacks that decide about a request, and the ways in which each can fail. */
const FAILURES: readonly [name: keyof SheddingOptions, failures: readonly (() => never)[]][] = [
  ['priority', [fail, reject, later, wrong, repeated]],
  ['tenant', [fail, reject, later, repeated]],
  ['bulkhead', [fail, reject, later, repeated]],
  ['skip', [fail, reject, later]],
  ['trustPriority', [fail, reject, later]],
  ['isStream', [fail, reject, later]],
];

const failing = Object.fromEntries(
  FAILURES.flatMap(([name, failures]) =>
    failures.map((failure) => [
      `${name} fails (${failure.name}): the request counts as normal, and one warning is given`,
      async (fixture) => {
        const warnings = emittedWarnings();
        await fixture.serve({ [name]: failure });
        const headers = { 'sluice-priority': 'critical' };
        for (let i = 0; i < 3; i += 1) expect(await fixture.statusOf('/', headers)).toBe(200);
        await fixture.idle();
        expect(fixture.shedder.asked).toEqual(['normal', 'normal', 'normal']);
        expect(fixture.shedder.endings).toEqual(['done', 'done', 'done']);
        expect(warnings).toEqual([
          expect.objectContaining({
            code: 'SLUICE_HOOK_FAILED',
            message: expect.stringContaining(`${name} of shedLoad failed`),
          }),
        ]);
      },
    ]),
  ),
) as SheddingRules;

export const callbackRules: SheddingRules = {
  ...failing,

  'onShed fails: the request stays refused, and one warning is given': async (fixture) => {
    for (const onShed of [fail, reject]) {
      const warnings = emittedWarnings();
      await fixture.serve((requestOf) => ({ ...byClass(requestOf), onShed }));
      await fixture.hold(4);
      expect([await fixture.statusOf(), await fixture.statusOf()]).toEqual([503, 503]);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]?.message).toContain('onShed of shedLoad failed, and the request stays refused');
      await fixture.close();
      await fixture.idle();
    }
  },
};
