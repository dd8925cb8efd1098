import { expect, it } from '@jest/globals';
import { adapterSuite, type Runner } from '@sluice/conformance';
import { inCi } from '../src/adapter-suite-in-ci.js';

/** The tests that a runner registers, each with the store that it runs over. */
function registered(wrap: (runner: Runner) => Runner): string[] {
  const titles: string[] = [];
  let store = '';
  let subject = '';
  const runner: Runner = {
    describe(title, body) {
      if (title.endsWith('synchronous store')) store = title;
      else subject = title;
      body();
    },
    it: (title) => titles.push(`${subject}: ${title}, ${store}`),
  };
  adapterSuite('an adapter', () => Promise.reject(new Error('not started')), { handlerEnds: true }, wrap(runner));
  return titles;
}

const ruleOf = (title: string): string => title.replace(/, over an? \w+ store$/, '');

it('Each host runs each rule of the suite of adapters in CI, and two hosts run it over both kinds of stores', () => {
  const all = registered((runner) => runner);
  const halves = (['synchronous', 'asynchronous'] as const).map((first) =>
    registered((runner) => inCi(first, runner, false)),
  );
  const rules = new Set(all.map(ruleOf));
  expect(all.length).toBe(2 * rules.size);
  for (const half of halves) {
    expect(half.length).toBe(rules.size);
    expect(new Set(half.map(ruleOf))).toEqual(rules);
  }
  expect(new Set(halves.flat())).toEqual(new Set(all));
});

it('A proof runs everything', () => {
  expect(registered((runner) => inCi('synchronous', runner, true))).toEqual(registered((runner) => runner));
});
