import type {
  BinaryExpression,
  Expression,
  FunctionDeclaration,
  Identifier,
  LogicalExpression,
  MemberExpression,
  TableConstructorExpression,
  UnaryExpression,
} from 'luaparse';
import { BUILTINS, builtinOf, LIBRARIES, REFUSED, type Type } from './builtins.js';
import { KnownTypes } from './known-types.js';
import { argumentsOf, type Call, isCall, isMultiple } from './parse.js';
import type { Local, Scopes } from './scopes.js';
import { Temporaries } from './temporaries.js';

const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '%': 'modulo',
  '^': 'power',
};

/** What of the library redis a script asks of the server that runs it. */
const HOST = ['redis.call', 'redis.pcall'];

/** Makes JavaScript of expressions. Nil is `undefined`, so Lua's truth is written out where a value is no boolean. */
export class ExpressionCompiler {
  readonly scopes: Scopes;
  readonly types: KnownTypes;
  /** The library functions that the script uses. */
  readonly builtins = new Set<string>();
  temporaries = new Temporaries();
  /** The function whose body is being compiled. */
  owner: object;
  readonly #bodyOf: (declaration: FunctionDeclaration) => string;

  /** @param bodyOf - makes the JavaScript of a function */
  constructor(scopes: Scopes, owner: object, bodyOf: (declaration: FunctionDeclaration) => string) {
    this.scopes = scopes;
    this.types = new KnownTypes(scopes);
    this.owner = owner;
    this.#bodyOf = bodyOf;
  }

  /** One value. */
  value(expression: Expression): string {
    if (isCall(expression)) return this.#one(expression);
    switch (expression.type) {
      case 'NilLiteral':
        return 'undefined';
      case 'BooleanLiteral':
        return String(expression.value);
      case 'NumericLiteral':
        return Number.isFinite(expression.value) ? String(expression.value) : 'Infinity';
      case 'StringLiteral':
        return JSON.stringify(expression.value);
      case 'VarargLiteral':
        return '$rest[0]';
      case 'Identifier':
        return this.#name(expression);
      case 'FunctionDeclaration':
        return `(${this.#bodyOf(expression)})`;
      case 'TableConstructorExpression':
        return this.#table(expression);
      case 'MemberExpression':
        return this.#member(expression);
      case 'IndexExpression':
        return `index(${this.value(expression.base)}, ${this.value(expression.index)}${this.#named(expression.base)})`;
      case 'UnaryExpression':
        return this.#unary(expression);
      case 'BinaryExpression':
        return this.#binary(expression);
      case 'LogicalExpression':
        return this.#logical(expression);
    }
  }

  /** Whether a value is neither nil nor false, as a JavaScript boolean. */
  condition(expression: Expression): string {
    if (expression.type === 'LogicalExpression') {
      const operator = expression.operator === 'and' ? '&&' : '||';
      return `(${this.condition(expression.left)} ${operator} ${this.condition(expression.right)})`;
    }
    if (expression.type === 'UnaryExpression' && expression.operator === 'not')
      return `!${this.condition(expression.argument)}`;
    const value = this.value(expression);
    const type = this.types.of(expression);
    if (type === 'boolean') return value;
    if (type !== undefined) return `(${value}, true)`;
    return this.#isSimple(expression) ? isTrue(value) : this.#held(value, isTrue);
  }

  /** The values of a list, as the elements of a JavaScript array or as arguments. */
  list(expressions: readonly Expression[]): string {
    return expressions
      .map((expression, i) => {
        const isLast = i === expressions.length - 1;
        return isLast && isMultiple(expression) ? `...${this.all(expression)}` : this.value(expression);
      })
      .join(', ');
  }

  /** All results of a call, or of `...`, as an array. */
  all(expression: Expression): string {
    return expression.type === 'VarargLiteral' ? '$rest' : `allOf(${this.results(expression)})`;
  }

  /** The results of a call as it returns them, or the values of `...`. */
  results(expression: Expression): string {
    if (expression.type === 'VarargLiteral') return '$rest';
    return isCall(expression) ? this.#call(expression) : this.value(expression);
  }

  /** The JavaScript name of a local variable. */
  local(identifier: Identifier): Local | undefined {
    return this.scopes.locals.get(identifier);
  }

  #one(call: Call): string {
    const builtin = builtinOf(call.base, this.scopes);
    const code = this.#call(call);
    if (builtin !== undefined && BUILTINS[builtin] !== 'any') return code;
    return this.#held(code, (name) => `(Array.isArray(${name}) ? ${name}[0] : ${name})`);
  }

  #call(call: Call): string {
    const { base } = call;
    const values = argumentsOf(call);
    const line = lineMark(base);
    if (base.type === 'MemberExpression' && base.indexer === ':') return this.#methodCall(base, values, line);
    const builtin = builtinOf(base, this.scopes);
    const short = builtin && this.#shortCall(builtin, values);
    if (short) return short;
    const name = this.nameOf(base);
    const isFunction = builtin !== undefined || this.types.of(base) === 'function';
    if (isFunction) return `${line}${this.value(base)}(${this.list(values)})`;
    const failing = (code: string): string =>
      `(typeof ${code} === 'function' ? ${code} : notCallable(${code}, ${JSON.stringify(name)}))`;
    const callee = this.#isSimple(base) ? failing(this.value(base)) : this.#held(this.value(base), failing);
    return `${callee}${line}(${this.list(values)})`;
  }

  /** Short forms of what scripts call most often. */
  #shortCall(builtin: string, values: readonly Expression[]): string | undefined {
    const [first] = values;
    if (values.length !== 1 || !first || isMultiple(first)) return undefined;
    if (builtin !== 'math.floor' && builtin !== 'math.ceil') return undefined;
    const name = this.#builtin(builtin);
    const own = builtin === 'math.floor' ? 'Math.floor' : 'Math.ceil';
    const value = this.value(first);
    if (this.types.of(first) === 'number') return `${own}(${value})`;
    return this.#held(value, (held) => `(typeof ${held} === 'number' ? ${own}(${held}) : ${name}(${held}))`);
  }

  #methodCall(base: MemberExpression, values: readonly Expression[], line: string): string {
    const method = base.identifier.name;
    const object = this.temporaries.take();
    const found = this.temporaries.take();
    const get = `${found} = index(${object} = ${this.value(base.base)}, ${JSON.stringify(method)}${this.#named(base.base)})`;
    const callee = `(typeof (${get}) === 'function' ? ${found} : notCallable(${found}, "method '${method}'"))`;
    this.temporaries.give(found);
    this.temporaries.give(object);
    const rest = this.list(values);
    return `${callee}${line}(${object}${rest === '' ? '' : `, ${rest}`})`;
  }

  #name(identifier: Identifier): string {
    const builtin = builtinOf(identifier, this.scopes);
    if (builtin !== undefined) return this.#builtin(builtin);
    const local = this.local(identifier);
    if (local) return local.code;
    const { name } = identifier;
    if (name === 'KEYS' || name === 'ARGV') return name;
    if (name === '_VERSION') return '"Lua 5.1"';
    if (LIBRARIES.some((library) => library === name)) return name === 'redis' ? '$redis' : `$libraries.${name}`;
    if (REFUSED.includes(name)) throw new Error(`A script uses ${name}, which is not simulated`);
    return `${lineMark(identifier)}fail("Script attempted to access nonexistent global variable '${name}'")`;
  }

  #builtin(name: string): string {
    this.builtins.add(name);
    return codeOf(name);
  }

  #member(expression: MemberExpression): string {
    const builtin = builtinOf(expression, this.scopes);
    if (builtin !== undefined) return this.#builtin(builtin);
    const { base, identifier } = expression;
    const key = JSON.stringify(identifier.name);
    const name = this.#named(base);
    const get = (table: string): string =>
      `(${table} instanceof LuaTable ? ${table}.getString(${key}) : index(${table}, ${key}${name}))`;
    return this.#isSimple(base) ? get(this.value(base)) : this.#held(this.value(base), get);
  }

  #table({ fields }: TableConstructorExpression): string {
    const list = fields.flatMap((field) => (field.type === 'TableValue' ? [field.value] : []));
    let code = `new LuaTable([${this.list(list)}])`;
    for (const field of fields) {
      if (field.type === 'TableKey') code = `set(${code}, ${this.value(field.key)}, ${this.value(field.value)})`;
      if (field.type === 'TableKeyString')
        code = `setString(${code}, ${JSON.stringify(field.key.name)}, ${this.value(field.value)})`;
    }
    return code;
  }

  #unary(expression: UnaryExpression): string {
    const { operator, argument } = expression;
    if (operator === 'not') return `!${this.condition(argument)}`;
    const value = this.value(argument);
    if (operator === '-') {
      if (this.types.of(argument) === 'number') return `(-${value})`;
      return `${lineMark(argument)}negate(${value}${this.#named(argument)})`;
    }
    if (this.types.of(argument) === 'string') return `${value}.length`;
    return `${lineMark(argument)}lengthOf(${value}${this.#named(argument)})`;
  }

  #binary(expression: BinaryExpression): string {
    const { operator, left, right } = expression;
    switch (operator) {
      case '==':
        return this.#equality(left, right, '===');
      case '~=':
        return this.#equality(left, right, '!==');
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#comparison(left, right, operator);
      case '..':
        return this.#concatenation(expression);
      default:
        return this.#arithmetic(expression);
    }
  }

  #equality(left: Expression, right: Expression, operator: '===' | '!=='): string {
    const [first, second] = [this.value(left), this.value(right)];
    if (!this.#isOwnLocal(left) || this.#isSimple(right)) return `(${first} ${operator} ${second})`;
    return this.#held(second, (held) => `${first} ${operator} ${held}`);
  }

  #comparison(left: Expression, right: Expression, operator: '<' | '<=' | '>' | '>='): string {
    const helper = operator.length === 1 ? 'isLess' : 'isLessOrEqual';
    const line = lineMark(right);
    const slow = (a: string, b: string): string =>
      operator.startsWith('<') ? `${line}${helper}(${a}, ${b})` : `${line}${helper}(${b}, ${a})`;
    return this.#fastOn('number', left, right, (a, b) => `${a} ${operator} ${b}`, slow);
  }

  #arithmetic({ operator, left, right }: BinaryExpression): string {
    const helper = ARITHMETIC[operator];
    if (helper === undefined) throw new Error(`Lua 5.1 has no operator ${operator}`);
    const slow = (a: string, b: string): string =>
      `${lineMark(right)}${helper}(${a}, ${b}, ${JSON.stringify(this.nameOf(left))}, ${JSON.stringify(this.nameOf(right))})`;
    if (operator === '^') return slow(this.value(left), this.value(right));
    const fast = (a: string, b: string): string =>
      operator === '%' ? `${a} - Math.floor(${a} / ${b}) * ${b}` : `${a} ${operator} ${b}`;
    return this.#fastOn('number', left, right, fast, slow, { usesTwice: operator === '%' });
  }

  #concatenation({ left, right }: BinaryExpression): string {
    const slow = (a: string, b: string): string =>
      `${lineMark(right)}concat(${a}, ${b}, ${JSON.stringify(this.nameOf(left))}, ${JSON.stringify(this.nameOf(right))})`;
    return this.#fastOn('string', left, right, (a, b) => `${a} + ${b}`, slow, { readsEarly: true });
  }

  /**
   * An operation that is written out if both operands have a type, and otherwise calls a function. Lua reads a local variable on the left
   * when it knows the right operand, but the variable of an outer function before, and what it concatenates, too.
   */
  #fastOn(
    type: 'number' | 'string',
    left: Expression,
    right: Expression,
    fast: (a: string, b: string) => string,
    slow: (a: string, b: string) => string,
    { usesTwice = false, readsEarly = false } = {},
  ): string {
    const [isLeft, isRight] = [this.types.of(left) === type, this.types.of(right) === type];
    const isFree = this.#isSimple(right) || this.#isConstant(left) || (this.#isOwnLocal(left) && !readsEarly);
    if (
      isLeft &&
      isRight &&
      !usesTwice &&
      (isFree || !this.#isSimple(left)) &&
      !(this.#isOwnLocal(left) && !this.#isSimple(right))
    )
      return `(${fast(this.value(left), this.value(right))})`;
    const hold = (expression: Expression): readonly [name: string, first: string, isHeld: boolean] => {
      const code = this.value(expression);
      if (this.#isSimple(expression) && (expression !== left || isFree)) return [code, code, false];
      const name = this.temporaries.take();
      return [name, `(${name} = ${code})`, true];
    };
    const [a, firstA, isHeldA] = hold(left);
    const [b, firstB, isHeldB] = hold(right);
    for (const [name, isHeld] of [
      [b, isHeldB],
      [a, isHeldA],
    ] as const)
      if (isHeld) this.temporaries.give(name);
    const before = [isHeldA && firstA, isHeldB && firstB].filter((code) => code !== false);
    const tests = [!isLeft && `typeof ${a} === '${type}'`, !isRight && `typeof ${b} === '${type}'`].filter(Boolean);
    const operation = tests.length === 0 ? fast(a, b) : `${tests.join(' && ')} ? ${fast(a, b)} : ${slow(a, b)}`;
    return `(${[...before, operation].join(', ')})`;
  }

  #logical({ operator, left, right }: LogicalExpression): string {
    const type = this.types.of(left);
    if (operator === 'and') {
      if (type === 'boolean') return `(${this.value(left)} && ${this.value(right)})`;
      if (type !== undefined) return `(${this.value(left)}, ${this.value(right)})`;
      return this.#choice(left, (value) => `(${isTrue(value)} ? ${this.value(right)} : ${value})`);
    }
    if (left.type === 'LogicalExpression' && left.operator === 'and' && isAlwaysTrue(this.types.of(left.right)))
      return `(${this.condition(left.left)} ? ${this.value(left.right)} : ${this.value(right)})`;
    if (type === 'boolean') return `(${this.value(left)} || ${this.value(right)})`;
    if (type !== undefined) return this.value(left);
    return this.#choice(left, (value) => `(${isTrue(value)} ? ${value} : ${this.value(right)})`);
  }

  #choice(left: Expression, choose: (value: string) => string): string {
    if (this.#isSimple(left)) return choose(this.value(left));
    const value = this.value(left);
    const name = this.temporaries.take();
    const code = `(${name} = ${value}, ${choose(name)})`;
    this.temporaries.give(name);
    return code;
  }

  /** Uses a value more than once. */
  #held(value: string, use: (name: string) => string): string {
    const name = this.temporaries.take();
    const code = `(${name} = ${value}, ${use(name)})`;
    this.temporaries.give(name);
    return code;
  }

  /** Whether reading an expression again costs nothing and has no effect. */
  #isSimple(expression: Expression): boolean {
    return this.#isConstant(expression) || (expression.type === 'Identifier' && this.local(expression) !== undefined);
  }

  /** Whether an expression is a variable of the function that is being compiled. */
  #isOwnLocal(expression: Expression): boolean {
    return expression.type === 'Identifier' && this.local(expression)?.owner === this.owner;
  }

  #isConstant({ type }: Expression): boolean {
    return ['NumericLiteral', 'StringLiteral', 'BooleanLiteral', 'NilLiteral'].includes(type);
  }

  #named(expression: Expression): string {
    return `, ${JSON.stringify(this.nameOf(expression))}`;
  }

  /** How an error calls a value; nothing for a value without a name. */
  nameOf(expression: Expression): string {
    if (expression.type === 'Identifier') {
      const local = this.local(expression);
      if (!local) return `global '${expression.name}'`;
      return `${local.owner === this.owner ? 'local' : 'upvalue'} '${expression.name}'`;
    }
    if (expression.type === 'MemberExpression') return `field '${expression.identifier.name}'`;
    if (expression.type !== 'IndexExpression') return '';
    return `field '${expression.index.type === 'StringLiteral' ? expression.index.value : '?'}'`;
  }
}

const isTrue = (value: string): string => `(${value} !== undefined && ${value} !== false)`;

const isAlwaysTrue = (type: Type | undefined): boolean => type !== undefined && type !== 'boolean';

/** The JavaScript name of a library function. */
export function codeOf(builtin: string): string {
  return `$${builtin.replace('.', '_')}`;
}

/** Whether a library function belongs to the server that runs the script. */
export function isOfHost(builtin: string): boolean {
  return HOST.includes(builtin);
}

/** Begins the line of a text of JavaScript at which what follows has to stand; `compile.ts` takes it out. */
export function lineMark(expression: { readonly loc?: Expression['loc'] }): string {
  return expression.loc ? `\u0001${expression.loc.end.line}\u0002` : '';
}
