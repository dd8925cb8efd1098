/**
 * Makes Jest's `expect` quick where a value is as expected. Jest's own makes some 400 functions and takes a stack trace at each call,
 * in case the value is not: tests with loops spent a third of their time on that. The comparisons are Jest's own.
 *
 * @param {Function} expect - Jest's own, which is asked about all else, and words what is wrong.
 * @param {{ equals: Function, iterableEquality: Function, subsetEquality: Function }} utils - of `@jest/expect-utils`.
 */
exports.quickExpect = (expect, { equals, iterableEquality, subsetEquality }) => {
  const testers = [iterableEquality];
  const areNumbers = (...values) => values.every((value) => typeof value === 'number');
  const isObject = (value) => typeof value === 'object' && value !== null;

  /** By the name of a matcher: whether it holds without any doubt. */
  const HOLDS = {
    toBe: (actual, expected) => Object.is(actual, expected),
    toEqual: (actual, expected) => equals(actual, expected, testers),
    toMatchObject: (actual, expected) =>
      isObject(actual) && isObject(expected) && equals(actual, expected, [...testers, subsetEquality]),
    toBeDefined: (actual, ...none) => actual !== undefined && none.length === 0,
    toBeUndefined: (actual, ...none) => actual === undefined && none.length === 0,
    toBeLessThan: (actual, expected) => areNumbers(actual, expected) && actual < expected,
    toBeLessThanOrEqual: (actual, expected) => areNumbers(actual, expected) && actual <= expected,
    toBeGreaterThan: (actual, expected) => areNumbers(actual, expected) && actual > expected,
    toBeGreaterThanOrEqual: (actual, expected) => areNumbers(actual, expected) && actual >= expected,
  };

  class Expectation {
    #actual;

    constructor(actual) {
      this.#actual = actual;
    }

    static {
      for (const [name, holds] of Object.entries(HOLDS)) {
        Expectation.prototype[name] = function (...args) {
          if (!holds(this.#actual, ...args)) return expect(this.#actual)[name](...args);
          const { assertionCalls, numPassingAsserts } = expect.getState();
          expect.setState({ assertionCalls: assertionCalls + 1, numPassingAsserts: numPassingAsserts + 1 });
        };
      }
      const others = new Proxy({}, { get: (_, name, expectation) => expect(expectation.#actual)[name] });
      Object.setPrototypeOf(Expectation.prototype, others);
    }
  }

  const quick = (...args) => (args.length === 1 ? new Expectation(args[0]) : expect(...args));
  quick.addEqualityTesters = (more) => {
    expect.addEqualityTesters(more);
    testers.unshift(...more);
  };
  return Object.setPrototypeOf(quick, expect);
};
