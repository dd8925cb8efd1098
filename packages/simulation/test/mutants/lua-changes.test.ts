import { describe, expect, it } from '@jest/globals';
import type { Operator } from '../../src/mutants/change.js';
import { luaChanges } from '../../src/mutants/lua/lua-changes.js';
import { textsWith } from './texts-with.js';

const changed = (operator: Operator, text: string): string[] => textsWith(operator, text, luaChanges(text));

describe('Changes of Lua', () => {
  it.each<[Operator, string, string[]]>([
    ['comparison', 'f(a < b)', ['f(a <= b)']],
    ['comparison', 'f(a == NEVER)', ['f(a ~= NEVER)']],
    ['bound', 'local a = b[#b - 1]', ['local a = b[#b - 2]', 'local a = b[#b - 0]']],
    ['bound', 'for i = 1, n do f() end', ['for i = 2, n do f() end', 'for i = 0, n do f() end']],
    ['bound', 'local a = { b = 1 }', []],
    ['extreme', 'local a = math.max(b, c)', ['local a = math.min(b, c)']],
    ['rounding', 'local a = floor(b)', ['local a = ceil(b)']],
    [
      'condition',
      'if a then f() elseif not b then g() else h() end',
      [
        ...['not (a)', 'true', 'false'].map((test) => `if ${test} then f() elseif not b then g() else h() end`),
        ...['b', 'true', 'false'].map((test) => `if a then f() elseif ${test} then g() else h() end`),
      ],
    ],
    ['condition', 'while a do f() end', ['while false do f() end']],
    ['logic', 'local a = b and (c or d)', ['local a = b or (c or d)', 'local a = b and (c and d)']],
    ['fallback', 'local a = b or c', ['local a = b ']],
    ['fallback', 'if a or b then f() end', []],
    ['arithmetic', 'local a = b - (c + d)', ['local a = b + (c + d)', 'local a = b - (c - d)']],
    ['arithmetic', 'local a = -b', []],
    ['statement', "redis.call('DEL', a)", ['do end']],
    ['statement', 'a.b = c', ['do end']],
    ['statement', 'a.b = function() end', []],
    ['increment', 'a.b = a.b + 1', ['do end']],
    ['guard', 'if a then return b end f()', ['do end f()']],
    ['arguments', "f(a, b.c, 'd', 1)", ["f(b.c, a, 'd', 1)"]],
    ['arguments', 'min(a, b)', []],
    ['returned value', 'return true', ['return false']],
    ['returned value', 'return a.b', ['return nil']],
    ['returned value', 'return { a = 1 }', []],
    ['returned value', 'return a, false', ['return a, true']],
  ])('%s: %s', (operator, text, expected) => {
    expect(changed(operator, text)).toEqual(expected);
  });

  it('know the function that they are in', () => {
    const text = [
      'local function a() return 1 < 2 end',
      "kernels['b'] = function() return { c = function() return 1 < 2 end } end",
      'function d.e() return 1 < 2 end',
      'local f = 1 < 2',
    ].join('\n');
    const within = luaChanges(text).filter(({ operator }) => operator === 'comparison');
    expect(within.map((change) => change.within)).toEqual(['a', "kernels['b'].c", 'd.e', '']);
  });
});
