import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LimitTable } from '../../src/decisions/limit-table.js';
import { readDecision, WrongAnswer } from '../../src/decisions/read-answer.js';
import { decided } from './small-service.js';

const limits = new LimitTable();
const answer = (): Record<string, unknown> => JSON.parse(decided(9, { reservation: { token: 'a-b', expiresInMs: 5 } }));

describe('An answer of the service', () => {
  it('is read if everything in it is right', () => {
    const first = readDecision(answer(), 'api', limits);
    expect(first).toMatchObject({ source: 'store', token: 'a-b', verdicts: [{ name: 'minute', remaining: 9 }] });
    const second = readDecision(answer(), 'api', limits);
    // The texts of header fields are kept by limit.
    expect(second).toHaveProperty('verdicts.0.limit', expect.anything());
    if ('verdicts' in first && 'verdicts' in second) expect(second.verdicts[0]?.limit).toBe(first.verdicts[0]?.limit);
  });

  it.each<[path: readonly (string | number)[], value: unknown]>([
    [['policy'], 'other'],
    [['allowed'], 'yes'],
    [['allowed'], false],
    [['source'], 'memory'],
    [['source'], 'none'],
    [['verdicts'], []],
    [['verdicts'], {}],
    [['verdicts', 0], null],
    [['verdicts', 0, 'name'], 'a\r\nSet-Cookie: b=c'],
    [['verdicts', 0, 'name'], ''],
    [['verdicts', 0, 'limit'], { algorithm: 'magic', quota: 5 }],
    [['verdicts', 0, 'limit', 'quota'], -1],
    [['verdicts', 0, 'limit', 'windowMs'], '60000'],
    [['verdicts', 0, 'cost'], 1.5],
    [['verdicts', 0, 'remaining'], -1],
    [['verdicts', 0, 'remaining'], 1e300],
    [['verdicts', 0, 'resetAfterMs'], 'soon'],
    [['verdicts', 0, 'retryAfterMs'], null],
    [['verdicts', 0, 'delayMs'], 'never'],
    [['verdicts', 0, 'shadow'], false],
    [['verdicts', 0, 'quotaUnit'], 'ä'],
    [['reservation'], 'token'],
    [['reservation', 'token'], '../../admin'],
    [['reservation', 'token'], 'a b'],
    [['error'], { status: 200 }],
  ])('is refused with %j as %j', (path, value) => {
    const wrong = answer();
    let target = wrong as Record<string | number, unknown>;
    for (const step of path.slice(0, -1)) target = target[step] as typeof target;
    target[path.at(-1) as string] = value;
    // A refusal without a problem says nothing.
    if (value === 'none') Object.assign(wrong, { allowed: false });
    expect(() => readDecision(wrong, 'api', limits)).toThrow(WrongAnswer);
  });

  it('is a decision, or wrong, whatever it is', () => {
    const json = fc.jsonValue();
    const members = fc.dictionary(fc.constantFrom(...Object.keys(answer()), 'error', 'problem'), json);
    const verdict = fc.dictionary(fc.constantFrom('name', 'limit', 'cost', 'allowed', 'remaining', 'used'), json);
    const changed = fc.tuple(members, verdict).map(([own, first]) => {
      const base = answer();
      const [known] = base.verdicts as object[];
      return { ...base, verdicts: [{ ...known, ...first }], ...own, policy: 'api' };
    });
    fc.assert(
      fc.property(fc.oneof(json, changed), (value) => {
        try {
          readDecision(value, 'api', limits);
        } catch (error) {
          expect(error).toBeInstanceOf(WrongAnswer);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
