// Translates the arithmetic of an algorithm, packages/core/src/algorithms/arithmetic/*.ts, into functions of Lua. Both compute the same doubles,
// because the TypeScript keeps to a subset: functions of numbers, states and plain lists; + - * /, comparisons, min, max, floor and ceil. Anything else
// is an error with its file and line. The differences are written out: lists begin at 1, `undefined` is nil, 'never' is NEVER, and a method of an
// interface of the file is a function of the Lua around, with the object as its first argument.
// Why it is so: core/docs/why/one-arithmetic.md
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { parse } = require('@babel/parser');

const FOLDER = join(__dirname, '../../core/src/algorithms/arithmetic');

const WORDS_OF_LUA = new Set(
  'and break do else elseif end false for function if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
);
const MATH = new Set(['floor', 'ceil', 'min', 'max']);
const ARITHMETIC = new Set(['+', '-', '*', '/']);
const COMPARISONS = { '===': '==', '!==': '~=', '<': '<', '<=': '<=', '>': '>', '>=': '>=' };

/** Names of what is true or false. In Lua, 0 and '' are true, so nothing else may stand as a condition. */
const OF_CONDITIONS = /^(is|has|holds)([A-Z]|$)/;
const CONDITION_RULE = 'a condition is a comparison, or has a name such as isFull or hasRoom';

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
    if (statement.type === 'ImportDeclaration') importInto(functions, constants, statement);
    else if (declared.type === 'FunctionDeclaration') {
      functions.set(declared.id.name, new Translation(file, declared, functions, constants, methods));
    } else if (declared.type === 'TSInterfaceDeclaration') {
      for (const { type, key } of declared.body.body) if (type === 'TSMethodSignature') methods.add(key.name);
    } else if (declared.type === 'VariableDeclaration') {
      for (const { id, init } of declared.declarations) constants.set(id.name, numberOf(init, file));
    } else if (!declared.type.startsWith('TS')) throw outside(file, declared);
  }
  functions.constants = constants;
  return functions;
}

function importInto(functions, constants, { importKind, source, specifiers }) {
  const [, name] = /^\.\/(.+)\.js$/.exec(source.value) ?? [];
  if (importKind === 'type' || !name) return;
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
  if (node.type === 'NumericLiteral') return node.value;
  if (node.type === 'UnaryExpression' && node.operator === '-') return -numberOf(node.argument, file);
  if (node.type === 'BinaryExpression') {
    const [left, right] = [numberOf(node.left, file), numberOf(node.right, file)];
    if (node.operator === '**') return left ** right;
    if (node.operator === '-') return left - right;
  }
  throw outside(file, node);
}

function outside(file, node, why = `${node.type} has no translation`) {
  const { line, column } = node.loc.start;
  return new Error(`${file}:${line}:${column + 1}: ${why}. Write it in the subset that lua/arithmetic.cjs translates.`);
}

/** One function. */
class Translation {
  #file;
  #node;
  #functions;
  #constants;
  #methods;
  /** Names that are assigned again: a loop up to one of them reads it each time. */
  #assigned;
  #calls;

  constructor(file, node, functions, constants, methods) {
    this.#file = file;
    this.#node = node;
    this.#functions = functions;
    this.#constants = constants;
    this.#methods = methods;
  }

  get file() {
    return this.#file;
  }

  get node() {
    return this.#node;
  }

  get constants() {
    return this.#constants;
  }

  get functions() {
    return this.#functions;
  }

  /** The functions that it calls. */
  get calls() {
    if (!this.#calls) this.text();
    return this.#calls;
  }

  text() {
    const { id, params, body } = this.#node;
    this.#calls = new Set();
    this.#assigned = assignedIn(body);
    return `local function ${id.name}(${params.map((param) => this.#name(param)).join(', ')})\n${this.#block(body)}\nend`;
  }

  outside(why) {
    return this.#outside(this.#node, why);
  }

  #outside(node, why) {
    return outside(this.#file, node, why);
  }

  #name(node) {
    if (node.type !== 'Identifier') throw this.#outside(node);
    if (WORDS_OF_LUA.has(node.name)) throw this.#outside(node, `${node.name} is a word of Lua`);
    return node.name;
  }

  #block(node) {
    const statements = node.type === 'BlockStatement' ? node.body : [node];
    return statements.map((one) => this.#statement(one)).join('\n');
  }

  #statement(node) {
    switch (node.type) {
      case 'VariableDeclaration':
        return node.declarations.map((one) => this.#declaration(one)).join('\n');
      case 'ReturnStatement':
        return node.argument ? this.#chosen(node.argument, (value) => `return ${value}`) : 'return';
      case 'IfStatement':
        return this.#if(node);
      case 'WhileStatement':
        return `while ${this.#condition(node.test)} do\n${this.#block(node.body)}\nend`;
      case 'ForStatement':
        return this.#for(node);
      case 'ExpressionStatement':
        return this.#effect(node.expression);
      default:
        throw this.#outside(node);
    }
  }

  #if({ test, consequent, alternate }) {
    const otherwise = alternate ? `\nelse\n${this.#block(alternate)}` : '';
    return `if ${this.#condition(test)} then\n${this.#block(consequent)}${otherwise}\nend`;
  }

  #declaration({ id, init }) {
    if (id.type === 'ObjectPattern') {
      const names = id.properties.map(({ value }) => this.#name(value));
      const fields = id.properties.map(({ key }) => `${this.#expression(init)}.${key.name}`);
      return `local ${names.join(', ')} = ${fields.join(', ')}`;
    }
    const name = this.#name(id);
    const value = bare(init);
    if (value.type !== 'ConditionalExpression') return `local ${name} = ${this.#value(value)}`;
    return `local ${name}\n${this.#chosen(value, (chosen) => `${name} = ${chosen}`)}`;
  }

  /** Uses a value, or one of two. `and` and `or` would choose wrongly if the first one is nil or false. */
  #chosen(node, use) {
    const value = bare(node);
    if (value.type !== 'ConditionalExpression') return use(this.#value(value));
    const [then, otherwise] = [value.consequent, value.alternate].map((one) => this.#chosen(one, use));
    return `if ${this.#condition(value.test)} then\n${then}\nelse\n${otherwise}\nend`;
  }

  /** A loop up to what does not change is one of Lua's, which is faster. */
  #for({ init, test, update, body }) {
    const [{ id, init: first }] = init.declarations;
    const i = this.#name(id);
    const isStep = update.type === 'AssignmentExpression' && update.operator === '+=' && update.right.value === 1;
    const bound =
      test.type === 'BinaryExpression' && test.operator === '<' && test.right.type === 'Identifier' && test.right;
    if (!isStep || !bound || this.#assigned.has(bound.name) || assignedIn(body).has(i)) {
      throw this.#outside(test, 'a loop counts by 1 up to a name that is never assigned again');
    }
    return `for ${i} = ${this.#expression(first)}, ${this.#expression(bound)} - 1 do\n${this.#block(body)}\nend`;
  }

  #effect(node) {
    if (node.type === 'AssignmentExpression') return this.#assignment(node);
    if (node.type === 'CallExpression') return this.#method(node) ?? this.#expression(node);
    throw this.#outside(node);
  }

  #assignment({ operator, left, right }) {
    const target = this.#expression(left);
    if (target.startsWith('#')) throw this.#outside(left, 'a list is cut by splice');
    if (operator === '=') return this.#chosen(right, (value) => `${target} = ${value}`);
    if (operator !== '+=' && operator !== '-=') throw this.#outside(left, `${operator} has no translation`);
    return `${target} = ${target} ${operator[0]} ${this.#expression(right)}`;
  }

  /** The methods of lists, which stand alone as statements. */
  #method({ callee, arguments: args }) {
    if (callee.type !== 'MemberExpression') return undefined;
    const list = this.#expression(callee.object);
    switch (callee.property.name) {
      case 'push':
        return `${list}[#${list} + 1] = ${this.#expression(args[0])}`;
      case 'pop':
        return `${list}[#${list}] = nil`;
      case 'splice':
        if (args.length !== 2) throw this.#outside(callee, 'splice takes a place and a count');
        return `splice(${list}, ${this.#expression(args[0])}, ${this.#expression(args[1])})`;
      case 'sort':
        if (!isByNumber(args[0])) throw this.#outside(callee, 'a list is sorted by (a, b) => a - b');
        return `table.sort(${list})`;
      default:
        return undefined;
    }
  }

  /** A value: what is computed, or whether something holds. */
  #value(node) {
    return isCondition(bare(node)) ? this.#condition(node) : this.#expression(node);
  }

  #condition(node) {
    const one = bare(node);
    switch (one.type) {
      case 'LogicalExpression':
        if (one.operator === '??') throw this.#outside(one, '?? has no translation');
        return `(${this.#condition(one.left)} ${one.operator === '&&' ? 'and' : 'or'} ${this.#condition(one.right)})`;
      case 'UnaryExpression':
        if (one.operator === '!') return `not ${this.#condition(one.argument)}`;
        break;
      case 'BinaryExpression':
        if (COMPARISONS[one.operator]) {
          return `(${this.#expression(one.left)} ${COMPARISONS[one.operator]} ${this.#expression(one.right)})`;
        }
        break;
      case 'BooleanLiteral':
        return String(one.value);
      case 'Identifier':
        if (OF_CONDITIONS.test(one.name)) return this.#name(one);
        break;
      case 'CallExpression':
        if (OF_CONDITIONS.test(one.callee.name)) return this.#expression(one);
        break;
      default:
    }
    throw this.#outside(one, CONDITION_RULE);
  }

  #expression(node) {
    const one = bare(node);
    switch (one.type) {
      case 'NumericLiteral':
      case 'BooleanLiteral':
      case 'StringLiteral':
        return literal(one);
      case 'Identifier':
        if (one.name === 'undefined') return 'nil';
        return this.#constants.has(one.name) ? this.#constant(this.#constants.get(one.name)) : this.#name(one);
      case 'UnaryExpression':
        if (one.operator === '-') return `-${this.#expression(one.argument)}`;
        break;
      case 'BinaryExpression':
        if (ARITHMETIC.has(one.operator)) {
          return `(${this.#expression(one.left)} ${one.operator} ${this.#expression(one.right)})`;
        }
        break;
      case 'MemberExpression':
        return this.#member(one);
      case 'CallExpression':
        return this.#call(one);
      case 'ArrayExpression':
        return `{ ${one.elements.map((element) => this.#expression(element)).join(', ')} }`;
      case 'ObjectExpression':
        return `{ ${one.properties.map((property) => this.#property(property)).join(', ')} }`;
      default:
    }
    throw this.#outside(one);
  }

  #constant(value) {
    return value < 0 ? `(${value})` : String(value);
  }

  #property(node) {
    if (node.type !== 'ObjectProperty' || node.computed) throw this.#outside(node);
    return `${node.key.name} = ${this.#value(node.value)}`;
  }

  #member({ object, property, computed }) {
    if (!computed && property.name === 'length') return `#${this.#expression(object)}`;
    if (!computed) return `${this.#expression(object)}.${property.name}`;
    return `${this.#expression(object)}[${this.#indexAfter(bare(property))}]`;
  }

  /** Lists begin at 1. */
  #indexAfter(node) {
    const { type, operator, left, right, value } = node;
    if (type === 'NumericLiteral') return String(value + 1);
    if (type === 'BinaryExpression' && right.type === 'NumericLiteral' && (operator === '-' || operator === '+')) {
      const by = (operator === '-' ? -right.value : right.value) + 1;
      if (by === 0) return this.#expression(left);
      return `${this.#expression(left)} ${by < 0 ? '-' : '+'} ${Math.abs(by)}`;
    }
    return `${this.#expression(node)} + 1`;
  }

  #call({ callee, arguments: args, ...node }) {
    const list = args.map((one) => this.#value(one)).join(', ');
    if (callee.type === 'MemberExpression' && callee.object.name === 'Math' && MATH.has(callee.property.name)) {
      return `${callee.property.name}(${list})`;
    }
    if (callee.type === 'MemberExpression' && this.#methods.has(callee.property.name)) {
      return `${callee.property.name}(${[this.#name(callee.object), ...args.map((one) => this.#value(one))].join(', ')})`;
    }
    if (callee.type !== 'Identifier' || !this.#functions.has(callee.name)) {
      throw this.#outside({ type: 'CallExpression', ...node }, 'only functions of the arithmetic are called');
    }
    this.#calls.add(callee.name);
    return `${callee.name}(${list})`;
  }
}

/** A constant, as Lua has it. 'never' is a number there. */
function literal({ type, value }) {
  if (type !== 'StringLiteral') return String(value);
  return value === 'never' ? 'NEVER' : `'${value}'`;
}

/** Without what only the compiler reads. */
function bare(node) {
  const isWrapper =
    node.type === 'TSAsExpression' || node.type === 'TSNonNullExpression' || node.type === 'ParenthesizedExpression';
  return isWrapper ? bare(node.expression) : node;
}

/** Whether this is a comparison by which `sort` sorts as Lua does. */
function isByNumber(node) {
  if (node?.type !== 'ArrowFunctionExpression' || node.params.length !== 2) return false;
  const { type, operator, left, right } = node.body;
  const [one, other] = node.params;
  return type === 'BinaryExpression' && operator === '-' && left.name === one.name && right.name === other.name;
}

function isCondition({ type, operator }) {
  if (type === 'BinaryExpression') return Object.hasOwn(COMPARISONS, operator);
  return type === 'LogicalExpression' || (type === 'UnaryExpression' && operator === '!');
}

/** The names that are assigned in a part of a function. */
function assignedIn(node, found = new Set()) {
  if (Array.isArray(node)) for (const one of node) assignedIn(one, found);
  else if (node && typeof node.type === 'string') {
    if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') found.add(node.left.name);
    for (const [key, child] of Object.entries(node)) {
      if (key !== 'loc' && key !== 'update' && child && typeof child === 'object') assignedIn(child, found);
    }
  }
  return found;
}

/** Shows each node of a part of a function. */
function walk(node, visit) {
  if (Array.isArray(node)) for (const one of node) walk(one, visit);
  else if (node && typeof node.type === 'string') {
    visit(node);
    for (const [key, child] of Object.entries(node))
      if (key !== 'loc' && child && typeof child === 'object') walk(child, visit);
  }
}

module.exports = {
  ARITHMETIC,
  COMPARISONS,
  CONDITION_RULE,
  OF_CONDITIONS,
  arithmeticOf,
  assignedIn,
  bare,
  functionsIn,
  functionsOf,
  isCondition,
  literal,
  luaOf,
  outside,
  walk,
};
