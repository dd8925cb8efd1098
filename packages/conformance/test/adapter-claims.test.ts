import { describe, expect, it } from '@jest/globals';
import { type AdapterClaims, adapterSuite, type Runner } from '@sluice/conformance';

/** Registers the tests of the suite without running them: the titles of those that run and those that are left out. */
function registered(claims: AdapterClaims) {
  const tests: string[] = [];
  const leftOut: string[] = [];
  const runner: Runner = {
    describe: (_name, body) => body(),
    it: Object.assign((title: string) => tests.push(title), { skip: (title: string) => leftOut.push(title) }),
  };
  adapterSuite('an adapter', () => Promise.reject(new Error('not started')), claims, runner);
  return { tests, leftOut };
}

describe('An adapter that is tested', () => {
  it.each([undefined, false, '', ' '])('has to say whether it tells when handlers end: not %p', (handlerEnds) => {
    expect(() => registered({ handlerEnds } as unknown as AdapterClaims)).toThrow(
      'claims.handlerEnds must be true, or text that says why the adapter has not got it',
    );
  });

  it('cannot claim what the suite does not know', () => {
    expect(() => registered({ handlerEnds: true, handlerEnd: true } as AdapterClaims)).toThrow(
      'claims.handlerEnd is not an option: use handlerEnds',
    );
  });

  it('reports the tests that do not concern it, with the reason', () => {
    const reporting = registered({ handlerEnds: true });
    const silent = registered({ handlerEnds: 'the framework hides it' });
    expect(new Set(reporting.leftOut)).toEqual(
      new Set([
        'frees the slot once when the client leaves, if the end of the handler is not known (handlerEnds is claimed)',
      ]),
    );
    expect(silent.leftOut.length).toBe(4);
    for (const title of silent.leftOut) expect(title).toMatch(/ \(not handlerEnds: the framework hides it\)$/);
    expect(reporting.tests.length + reporting.leftOut.length).toBe(silent.tests.length + silent.leftOut.length);
  });
});
