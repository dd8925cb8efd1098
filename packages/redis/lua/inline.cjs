// Writes core's arithmetic into a text of Lua in place: without a function, which takes Lua longer to make than to run, and without a table
// for a state. What goes in is a text of Lua, which says what it has in lines that are comments of Lua:
//   -- Calls: token-bucket margin          the files of arithmetic whose functions it calls
//   -- State: level part refillUnits=own   the variable of each field of a state; an empty one is never read
//   -- Limit: quota align keepForMs=nil    the same for a limit, or a constant, by which conditions are decided here
//   -- Given: mostEntries=math.huge        what stands for the result of a function
//   -- Leaves: dropOldest                  functions that are left to the kernels: nil is returned in their place
//   -- Inline: const free = available(state, limit, nowMs)
// Of the last, there are as many as needed, each a statement of TypeScript, in the subset of arithmetic.cjs. What comes out is the same text
// with Lua in place of the statements. If a file of arithmetic has
//
//   interface State { level: number }
//   interface Limit { quota: number }
//   export function take(state: State, limit: Limit, units: number): number {
//     const { quota } = limit;
//     const free = Math.max(0, state.level - units);
//     if (free < quota) state.level = free;
//     return free;
//   }
//
// and this is the text of Lua,
//
//   -- State: level
//   -- Limit: quota=10
//   local level = tonumber(ARGV[1])
//   -- Inline: const free = take(state, limit, 3)
//   return free
//
// then this comes out: the state is the variable `level`, the quota is the number 10, and `max` needs no call.
//
//   -- State: level
//   -- Limit: quota=10
//   local level = tonumber(ARGV[1])
//   local other_1 = (level - 3)
//   local max_2 = 0
//   if other_1 > max_2 then max_2 = other_1 end
//   if (max_2 < 10) then
//   level = max_2
//   end
//   local free = max_2
//   return free
//
// This file reads the comments. inliner.cjs translates the statements.
// Why it is so: core/docs/why/one-arithmetic.md
const { functionsIn } = require('./arithmetic.cjs');
const { Inliner } = require('./inliner.cjs');

/**
 * Writes the arithmetic into a text of Lua.
 *
 * @param file - its name, for errors
 * @param functionsOf - returns the functions of a file of arithmetic
 */
function inlined(text, file, functionsOf = functionsIn) {
  if (!/^ *-- Inline: /m.test(text)) return text;
  const listed = (what) =>
    [...text.matchAll(new RegExp(`^ *-- ${what}: (.+)$`, 'gm'))].flatMap(([, list]) => list.split(' '));
  const pairs = (what) =>
    listed(what).map((one) => {
      const [name, variable = name] = one.split('=');
      return [name, variable || undefined];
    });
  const functions = new Map(
    listed('Calls')
      .reverse()
      .flatMap((name) => [...functionsOf(name)]),
  );
  const inliner = new Inliner(file, functions, new Map(pairs('Given')), new Set(listed('Leaves')));
  inliner.defineLimit(pairs('Limit'));
  inliner.defineState(pairs('State'));
  let end = 0;
  return text.replace(/^ *-- Inline: (.+)$/gm, (line, statement, start) => {
    inliner.pass(text.slice(end, start));
    end = start + line.length;
    return inliner.lua(statement);
  });
}

module.exports = { inlined };
