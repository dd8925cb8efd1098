// One function of arithmetic as a function of Lua: see arithmetic.cjs. Each node of the tree becomes a text, so that a method stands for each kind
// of node, and whatever has no method is refused with its file and line.
// Why it is so: core/docs/why/one-arithmetic.md

const {
  ARITHMETIC,
  COMPARISONS,
  CONDITION_RULE,
  LIST_METHODS,
  MATH,
  OF_CONDITIONS,
  assignedIn,
  bare,
  isByNumber,
  isCondition,
  isPlain,
  outside,
} = require('./syntax.cjs');
const { WORDS_OF_LUA, literal, minus, textOf } = require('./lua-text.cjs');

/** What the Lua around, or a translation, has under these names. */
const TAKEN = new Set([...MATH.keys(), 'splice', 'table', 'NEVER']);

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

  /** The function as Lua. */
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
        return this.#constants.has(one.name) ? textOf(this.#constants.get(one.name)) : this.#name(one);
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

module.exports = { Translation };
