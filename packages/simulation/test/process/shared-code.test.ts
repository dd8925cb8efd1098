import { describe, expect, it } from '@jest/globals';
import { bundleOfText } from '../../src/process/bundle.js';
import { SimulatedProcess } from '../../src/process/simulated-process.js';
import { World } from '../../src/world/world.js';

/** Loads a text in two processes, `p` and `q`. */
function twoProcesses<E>(text: string) {
  const world = new World(1);
  const bundle = bundleOfText(text);
  const load = (name: string) => {
    const process = new SimulatedProcess(world, name, bundle, 0);
    return { process, exports: process.exports as unknown as E };
  };
  return { world, p: load('p'), q: load('q') };
}

describe('The code that processes share', () => {
  it.each([
    ['a variable that is assigned', 'let count = 0; exports.next = () => { count = count + 1; return count; };'],
    ['a variable that is counted up', 'let count = 0; exports.next = () => ++count;'],
    ['a variable without a value', 'let count; exports.next = () => (count = (count ?? 0) + 1);'],
    ['a variable of a pattern', 'let { count } = { count: 0 }; exports.next = () => ([count] = [count + 1])[0];'],
    ['a map', 'const counts = new Map(); exports.next = () => counts.set("a", (counts.get("a") ?? 0) + 1).get("a");'],
    ['a field of a pattern', 'const c = { a: 0 }; exports.next = () => { [, c.a] = [0, c.a + 1]; return c.a; };'],
    ['an object', 'const counts = { a: 0 }; exports.next = () => (counts.a += 1);'],
    ['a static property', 'class Counter { static count = 0; } exports.next = () => (Counter.count += 1);'],
    ['a static block', 'class Counter { static { this.count = 0; } } exports.next = () => (Counter.count += 1);'],
    ['a function that is replaced', 'function next() { next = () => 2; return 1; } exports.next = () => next();'],
    ['what a sticky expression has found', 'const a = /a/y; exports.next = () => (a.test("aa"), a.lastIndex);'],
    ['what a function has returned', 'const next = (() => { let n = 0; return () => ++n; })(); exports.next = next;'],
  ])('keeps %s for each process', (_what, text) => {
    const { p, q } = twoProcesses<{ next: () => number }>(text);
    const next = ({ process, exports }: typeof p): number => {
      process.enter();
      return exports.next();
    };
    expect([next(p), next(q), next(p), next(q)]).toEqual([1, 1, 2, 2]);
  });

  it('makes functions and classes once', () => {
    const { p, q } = twoProcesses<Record<string, unknown>>(`
      "use strict";
      var One = class { method() {} };
      class Two extends One {}
      const three = () => new Two();
      function four() {}
      module.exports = { One, Two, three, four };
    `);
    for (const name of ['One', 'Two', 'three', 'four']) expect(p.exports[name]).toBe(q.exports[name]);
  });

  it('makes a class for each process whose superclass or names of members each process has of its own', () => {
    const { p, q } = twoProcesses<Record<string, unknown>>(`
      const name = Symbol('name');
      const One = class { [name]() {} };
      class Two extends One {}
      module.exports = { One, Two };
    `);
    for (const name of ['One', 'Two']) expect(p.exports[name]).not.toBe(q.exports[name]);
  });

  it('is as strict as it says', () => {
    const text = 'exports.isStrict = (function () { return this === undefined; })();';
    expect(twoProcesses<{ isStrict: boolean }>(text).p.exports.isStrict).toBe(false);
    expect(twoProcesses<{ isStrict: boolean }>(`"use strict"; ${text}`).p.exports.isStrict).toBe(true);
  });

  it('runs in the process whose event happens, with all that this leaves to promises', async () => {
    const { world, p, q } = twoProcesses<{ seen: number[] }>(`
      let own = 0;
      const seen = (exports.seen = []);
      setInterval(async () => {
        own += 1;
        await undefined;
        await undefined;
        seen.push(own, performance.now());
      }, 100);
    `);
    await world.run(350);
    expect(p.exports.seen).toEqual([1, 100, 2, 200, 3, 300]);
    expect(q.exports.seen).toEqual(p.exports.seen);
  });
});
