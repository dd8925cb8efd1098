// Translates the arithmetic of an algorithm, packages/core/src/algorithms/arithmetic/*.ts, into functions of Lua. Both compute the same doubles,
// because the TypeScript keeps to a subset: functions of numbers, states and plain lists; + - * /, comparisons, min, max, floor and ceil. Anything else
// is an error with its file and line. The differences are written out: lists begin at 1, `undefined` is nil, 'never' is NEVER, and a method of an
// interface of the file is a function of the Lua around, with the object as its first argument.
//
// What goes in is a file, and the Lua that uses it. Of the file
//
//   const MOST = 100;
//   export function left(state: State, units: number): number {
//     const isEnough = state.level >= units;
//     return isEnough ? Math.min(state.level - units, MOST) : 0;
//   }
//
// comes, if the Lua has the word `left`,
//
//   local function left(state, units)
//   local isEnough = (state.level >= units)
//   if isEnough then
//   return min((state.level - units), 100)
//   else
//   return 0
//   end
//   end
//
// This file finds the functions, and their order. translation.cjs translates one.
// Why it is so: core/docs/why/one-arithmetic.md
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { parse } = require('@babel/parser');
const { outside } = require('./syntax.cjs');
const { Translation } = require('./translation.cjs');

const FOLDER = join(__dirname, '../../core/src/algorithms/arithmetic');

/** Removes entries of a list, as `splice` does. */
const SPLICE = `local function splice(list, from, count)
for i = from + 1, #list do list[i] = list[i + count] end
end`;

/**
 * Returns those functions of a file of core's arithmetic that a text of Lua uses, with all that they call, in an order in which Lua can
 * define them.
 *
 * @param name - of the file, such as 'token-bucket'
 */
function arithmeticOf(name, user) {
  const file = join(FOLDER, `${name}.ts`);
  return luaOf(readFileSync(file, 'utf8'), file, user);
}

/** The same for the text of a file, whose name stands in errors. */
function luaOf(source, file, user) {
  const functions = functionsOf(source, file);
  const isUsed = (name) => new RegExp(`\\b${name}\\b`).test(user);
  const text = [...reachable(functions, isUsed)].map((name) => functions.get(name).text()).join('\n');
  return text.includes('splice(') ? `${SPLICE}\n${text}` : text;
}

/** The functions of a file of core's arithmetic, and those that it imports. */
function functionsIn(name) {
  const file = join(FOLDER, `${name}.ts`);
  return functionsOf(readFileSync(file, 'utf8'), file);
}

/** Adds what is called before what calls it. */
function reachable(functions, isWanted) {
  const found = new Set();
  const visit = (name, callers) => {
    if (found.has(name)) return;
    if (callers.includes(name)) throw functions.get(name).outside('a function does not call itself');
    for (const callee of functions.get(name).calls) visit(callee, [...callers, name]);
    found.add(name);
  };
  for (const name of functions.keys()) if (isWanted(name)) visit(name, []);
  return found;
}

/** The functions of a file, and those that it imports, by their names. */
function functionsOf(source, file) {
  const { body } = parse(source, { sourceType: 'module', plugins: ['typescript'] }).program;
  const functions = new Map();
  const constants = new Map();
  const methods = new Set();
  for (const statement of body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (statement.type === 'ImportDeclaration') importInto(functions, constants, statement, file);
    else if (!declared) throw outside(file, statement);
    else if (declared.type === 'FunctionDeclaration') {
      functions.set(declared.id.name, new Translation(file, declared, functions, constants, methods));
    } else if (declared.type === 'TSInterfaceDeclaration') {
      for (const { type, key } of declared.body.body) if (type === 'TSMethodSignature') methods.add(key.name);
    } else if (declared.type === 'VariableDeclaration') {
      if (declared.kind !== 'const') throw outside(file, declared, 'only constants stand beside functions');
      for (const { id, init } of declared.declarations) constants.set(id.name, numberOf(init, file));
    } else if (!declared.type.startsWith('TS')) throw outside(file, declared);
  }
  functions.constants = constants;
  return functions;
}

function importInto(functions, constants, statement, importer) {
  const { importKind, source } = statement;
  const specifiers = statement.specifiers.filter((one) => one.importKind !== 'type');
  if (importKind === 'type' || specifiers.length === 0) return;
  const [, name] = /^\.\/(.+)\.js$/.exec(source.value) ?? [];
  if (!name) throw outside(importer, statement, 'only types are imported from elsewhere');
  const renamed = specifiers.find(({ imported, local }) => imported?.name !== local.name);
  if (renamed) throw outside(importer, renamed, 'an import keeps its name');
  const file = join(FOLDER, `${name}.ts`);
  const imported = functionsOf(readFileSync(file, 'utf8'), file);
  for (const [own, translation] of imported) functions.set(own, translation);
  for (const {
    imported: { name: own },
  } of specifiers) {
    if (imported.constants.has(own)) constants.set(own, imported.constants.get(own));
  }
}

/** The value of a constant, which is made of numbers. */
function numberOf(node, file) {
  if (node.type === 'NumericLiteral' && Number.isFinite(node.value)) return node.value;
  if (node.type === 'UnaryExpression' && node.operator === '-') return -numberOf(node.argument, file);
  if (node.type === 'BinaryExpression') {
    const [left, right] = [numberOf(node.left, file), numberOf(node.right, file)];
    if (node.operator === '**') return left ** right;
    if (node.operator === '-') return left - right;
  }
  throw outside(file, node);
}

module.exports = { arithmeticOf, functionsIn, functionsOf, luaOf };
