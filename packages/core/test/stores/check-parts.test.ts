import { describe, expect, it } from '@jest/globals';
import {
  type LimitCheck,
  type PartCheck,
  SluiceError,
  type StoreRequest,
  slidingWindow,
  type Verdict,
} from '@sluice/core';
import { changedCheck, chargedChecks, listParts, nestParts } from '../../src/stores/check-parts.js';
import { sameCheck, verdictOf } from '../../src/stores/reply.js';
import { unitChecks } from '../../src/stores/unit-checks.js';

const plain = {
  policy: 'api',
  name: 'plain',
  key: 'ann',
  limit: slidingWindow({ limit: 10, window: '1m' }),
  cost: 3,
};
const own: PartCheck = { ...plain, name: 'own', shadow: true };
const all: PartCheck = { ...plain, name: 'all', shadow: true };
const divided: LimitCheck = { ...plain, name: 'divided', parts: { own, all, lend: 0.5 } };
const { parts: _, ...alone } = divided;

const verdictAbout = (check: LimitCheck, allowed = true): Verdict =>
  verdictOf(check, { allowed, remaining: 7, used: 3, resetAfterMs: 60_000, retryAfterMs: 0, delayMs: 0 });

describe('A request without parts', () => {
  it('is listed as the same object, and so is its response', () => {
    const request = { checks: [plain, { ...plain, name: 'other' }] };
    const response = { verdicts: request.checks.map((check) => verdictAbout(check)) };
    expect(listParts(request)).toBe(request);
    expect(nestParts(request, response)).toBe(response);
  });
});

describe('A request with parts', () => {
  const request: StoreRequest = { checks: [plain, divided, { ...plain, name: 'last' }], peek: true };

  it('has them listed before their limit', () => {
    const listed = listParts(request);
    expect(listed).toEqual({ ...request, checks: [plain, own, all, divided, request.checks[2]] });
    expect(listed.checks[3]).toBe(divided);
  });

  it('has one verdict of each check, with those of its parts', () => {
    const verdicts = listParts(request).checks.map((check) => verdictAbout(check));
    const [first, ofOwn, ofAll, whole, last] = verdicts;
    const nested = { ...whole, parts: { own: ofOwn, all: ofAll } };
    expect(nestParts(request, { atMs: 5, verdicts })).toEqual({ atMs: 5, verdicts: [first, nested, last] });
  });

  it('has no verdicts outside the boundaries of a calendar', () => {
    const response = { verdicts: [] };
    expect(nestParts(request, response)).toBe(response);
  });

  it.each([
    ['takes what fits', { checks: [divided], atLeast: 0 }],
    ['renews slots', { checks: [divided], renew: 'held' as const }],
  ])('is refused if it %s', (_, asked) => {
    expect(() => listParts(asked)).toThrow(
      expect.objectContaining({ code: 'SLUICE_UNSUPPORTED', message: expect.stringContaining('"divided"') }),
    );
  });

  it.each([
    ['own', { own: { ...own, shadow: undefined }, all }],
    ['all', { own, all: { ...all, shadow: undefined } }],
  ])('is refused if the part %s could refuse it', (_, parts) => {
    const check = { ...alone, parts: { ...parts, lend: 0 } } as unknown as LimitCheck;
    expect(() => listParts({ checks: [check] })).toThrow(SluiceError);
  });
});

describe('What a check was charged on', () => {
  it('is the check, if it has no parts', () => {
    expect(chargedChecks(plain, verdictAbout(plain))).toEqual([plain]);
  });

  it('includes its parts if they were spent', () => {
    const parts = { own: verdictAbout(own), all: verdictAbout(all) };
    expect(chargedChecks(divided, { ...verdictAbout(divided), parts })).toEqual([own, all, alone]);
  });

  it('is the check by itself if it has borrowed', () => {
    const parts = { own: verdictAbout(own, false), all: verdictAbout(all, false) };
    expect(chargedChecks(divided, { ...verdictAbout(divided), parts })).toEqual([alone]);
  });
});

describe('A check with other values', () => {
  it('has other values in its parts, too', () => {
    const changed = changedCheck(divided, ({ name, cost }) => ({ cost: name === 'all' ? 0 : cost + 1 }));
    expect(changed).toEqual({
      ...divided,
      cost: 4,
      parts: { own: { ...own, cost: 4 }, all: { ...all, cost: 0 }, lend: 0.5 },
    });
  });

  it('costs one unit on its parts, too', () => {
    expect(unitChecks([plain, divided]).map(({ cost, parts }) => [cost, parts?.own.cost, parts?.all.cost])).toEqual([
      [1, undefined, undefined],
      [1, 1, 1],
    ]);
  });

  it.each<[string, LimitCheck, boolean]>([
    ['the same parts', { ...divided, parts: { own, all, lend: 0.5 } }, true],
    ['no parts', alone, false],
    ['more to lend', { ...divided, parts: { own, all, lend: 1 } }, false],
    ['another cost of its own part', { ...divided, parts: { own: { ...own, cost: 1 }, all, lend: 0.5 } }, false],
    ['another cost of all parts', { ...divided, parts: { own, all: { ...all, cost: 1 }, lend: 0.5 } }, false],
  ])('asks for the same or not with %s', (_, other, isSame) => {
    expect([sameCheck(divided, other), sameCheck(other, divided)]).toEqual([isSame, isSame]);
  });
});
