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
/** The functions of Math, by the most arguments. */
const MATH = new Map([
  ['floor', 1],
  ['ceil', 1],
  ['min', Number.POSITIVE_INFINITY],
  ['max', Number.POSITIVE_INFINITY],
]);
/** What the Lua around, or a translation, has under these names. */
const TAKEN = new Set([...MATH.keys(), 'splice', 'table', 'NEVER']);
/** How many arguments the methods of lists take. */
const LIST_METHODS = new Map([
  ['push', 1],
  ['pop', 0],
  ['splice', 2],
  ['sort', 1],
]);
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
  /** Parameters and variables. */
  #declared;
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
    const { id, params, body, async: isAsync, generator: isGenerator } = this.#node;
    if (isAsync || isGenerator) throw this.outside('a function returns its value');
    this.#calls = new Set();
    this.#assigned = assignedIn(body);
    this.#declared = new Set();
    return `local function ${id.name}(${params.map((param) => this.#declare(param)).join(', ')})\n${this.#block(body)}\nend`;
  }

  outside(why) {
    return this.#outside(this.#node, why);
  }

  #outside(node, why) {
    return outside(this.#file, node, why);
  }

  /** The name of a new parameter or variable. */
  #declare(node) {
    if (node.type !== 'Identifier') throw this.#outside(node);
    if (TAKEN.has(node.name) || this.#constants.has(node.name)) {
      throw this.#outside(node, `${node.name} is the name of something else`);
    }
    this.#declared.add(node.name);
    return this.#word(node);
  }

  /** The name of a parameter or a variable. */
  #name(node) {
    if (node.type !== 'Identifier') throw this.#outside(node);
    if (!this.#declared.has(node.name)) throw this.#outside(node, `${node.name} is not known`);
    return node.name;
  }

  /** A name that Lua can have, of a variable or of a field. */
  #word(node) {
    if (WORDS_OF_LUA.has(node.name)) throw this.#outside(node, `${node.name} is a word of Lua`);
    return node.name;
  }

  /** The field that a key names. */
  #key(property) {
    const { type, key, computed } = property;
    if (type !== 'ObjectProperty' || computed || key.type !== 'Identifier') throw this.#outside(property);
    return this.#word(key);
  }

  #block(node) {
    const statements = node.type === 'BlockStatement' ? node.body : [node];
    return statements.map((one) => this.#statement(one)).join('\n');
  }

  #statement(node) {
    switch (node.type) {
      case 'VariableDeclaration':
        if (node.kind === 'var') throw this.#outside(node, 'a variable is declared by const or let');
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
    if (!init) throw this.#outside(id, 'a variable has a value from the beginning');
    if (id.type === 'ObjectPattern') {
      const fields = id.properties.map((property) => `${this.#expression(init)}.${this.#key(property)}`);
      const names = id.properties.map(({ value }) => this.#declare(value));
      return `local ${names.join(', ')} = ${fields.join(', ')}`;
    }
    const name = this.#declare(id);
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
  #for(node) {
    const { init, test, update, body } = node;
    const isOne = init?.type === 'VariableDeclaration' && init.kind === 'let' && init.declarations.length === 1;
    if (!isOne || !init.declarations[0].init) throw this.#outside(node, 'a loop has one variable, with a value');
    const [{ id, init: first }] = init.declarations;
    const i = this.#declare(id);
    const isStep = update?.type === 'AssignmentExpression' && update.operator === '+=' && update.right.value === 1;
    const bound =
      test?.type === 'BinaryExpression' && test.operator === '<' && test.right.type === 'Identifier' && test.right;
    const isCounted = isStep && bound && test.left.name === i && update.left.name === i;
    if (!isCounted || this.#assigned.has(bound.name) || assignedIn(body).has(i)) {
      throw this.#outside(test ?? node, 'a loop counts by 1 up to a name that is never assigned again');
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
    if (callee.type !== 'MemberExpression' || !LIST_METHODS.has(callee.property.name)) return undefined;
    const list = this.#expression(callee.object);
    const most = LIST_METHODS.get(callee.property.name);
    if (args.length > most) throw this.#outside(callee, `${callee.property.name} takes at most ${most} arguments`);
    switch (callee.property.name) {
      case 'push':
        if (args.length === 0) throw this.#outside(callee, 'push takes an entry');
        return `${list}[#${list} + 1] = ${this.#expression(args[0])}`;
      case 'pop':
        return `${list}[#${list}] = nil`;
      case 'splice':
        if (args.length !== 2) throw this.#outside(callee, 'splice takes a place and a count');
        return `splice(${list}, ${this.#expression(args[0])}, ${this.#expression(args[1])})`;
      default:
        if (!isByNumber(args[0])) throw this.#outside(callee, 'a list is sorted by (a, b) => a - b');
        return `table.sort(${list})`;
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
        if (!isPlain(one)) throw this.#outside(one, 'Lua would read it in another way');
        return literal(one);
      case 'Identifier':
        if (one.name === 'undefined') return 'nil';
        return this.#constants.has(one.name) ? this.#constant(this.#constants.get(one.name)) : this.#name(one);
      case 'UnaryExpression':
        if (one.operator === '-') return minus(this.#expression(one.argument));
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
        if (one.elements.includes(null)) throw this.#outside(one, 'a list has no holes');
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
    return `${this.#key(node)} = ${this.#value(node.value)}`;
  }

  #member({ object, property, computed }) {
    if (!computed && property.name === 'length') return `#${this.#expression(object)}`;
    if (!computed) return `${this.#expression(object)}.${this.#word(property)}`;
    if (property.type === 'StringLiteral') throw this.#outside(property, 'a list has its entries by numbers');
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
      const isCounted = args.length >= 1 && args.length <= MATH.get(callee.property.name);
      if (!isCounted) throw this.#outside(callee, `Math.${callee.property.name} takes another number of arguments`);
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

/** Whether Lua reads a number or a text as JavaScript does. */
function isPlain({ type, value }) {
  return type === 'StringLiteral' ? /^[\w -]*$/.test(value) : type !== 'NumericLiteral' || Number.isFinite(value);
}

/** Two signs in a row would begin a comment. */
const minus = (text) => (text.startsWith('-') ? `-(${text})` : `-${text}`);

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
  minus,
  outside,
  walk,
};
