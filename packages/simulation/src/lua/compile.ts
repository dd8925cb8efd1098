import type {
  AssignmentStatement,
  Chunk,
  Expression,
  ForGenericStatement,
  ForNumericStatement,
  FunctionDeclaration,
  Identifier,
  IndexExpression,
  LocalStatement,
  MemberExpression,
  ReturnStatement,
  Statement,
} from 'luaparse';
import { codeOf, ExpressionCompiler, isOfHost, lineMark } from './expressions.js';
import { iterate, LIBRARY } from './library/library.js';
import { fail, SOURCE_PREFIX } from './lua-error.js';
import { LuaTable } from './lua-table.js';
import { allOf, type LuaResult, type LuaValue, NONE } from './lua-value.js';
import * as operations from './operations.js';
import { isMultiple, parsed } from './parse.js';
import { type Local, scopesOf, selfOf } from './scopes.js';
import { Temporaries } from './temporaries.js';

export { LuaSyntaxError } from './parse.js';

/**
 * A script that can run: with the table `redis` of the server that runs it, and its keys and arguments.
 *
 * @throws LuaError
 */
export type LuaScript = (redis: LuaTable, keys: LuaTable, args: LuaTable) => LuaResult;

const scripts = new Map<string, LuaScript>();

/**
 * Makes a function of a Lua 5.1 script. The same text gives the same function, which all servers of the process share. The script may use
 * what Redis offers to scripts, apart from metatables, coroutines and loading of code.
 *
 * @param source - one character per byte
 * @throws LuaSyntaxError
 */
export function compile(source: string): LuaScript {
  let script = scripts.get(source);
  if (!script) {
    script = new Compiler(parsed(source)).script(`${SOURCE_PREFIX}${scripts.size}`);
    scripts.set(source, script);
  }
  return script;
}

/** What compiled code calls, beside the library. */
const RUNTIME = {
  ...operations,
  LuaTable,
  NONE,
  allOf,
  iterate,
  fail,
  set(table: LuaTable, key: LuaValue, value: LuaValue): LuaTable {
    table.set(key, value);
    return table;
  },
  setString(table: LuaTable, key: string, value: LuaValue): LuaTable {
    table.setString(key, value);
    return table;
  },
};

/** What a value is assigned to. */
type Variable = AssignmentStatement['variables'][number];

/** Makes JavaScript of the statements of a script. */
class Compiler {
  readonly #chunk: Chunk;
  readonly #expressions: ExpressionCompiler;
  #names = 0;

  constructor(chunk: Chunk) {
    this.#chunk = chunk;
    this.#expressions = new ExpressionCompiler(scopesOf(chunk), chunk, (declaration) => this.#function(declaration));
  }

  script(name: string): LuaScript {
    const body = this.#body(this.#chunk.body);
    const builtins = [...this.#expressions.builtins];
    const shared = builtins.filter((builtin) => !isOfHost(builtin));
    const host = builtins.filter(isOfHost);
    const code = [
      `const { ${Object.keys(RUNTIME).join(', ')} } = $runtime;`,
      ...shared.map((builtin) => `const ${codeOf(builtin)} = $library.get(${JSON.stringify(builtin)});`),
      'const $rest = NONE;',
      'return function ($redis, KEYS, ARGV) {',
      ...host.map((builtin) => `const ${codeOf(builtin)} = $redis.getString(${JSON.stringify(builtin.slice(6))});`),
      body,
      '};',
    ].join(' ');
    const source = `"use strict"; ${onTheirLines(code)}\n//# sourceURL=${name}`;
    const make = new Function('$runtime', '$library', '$libraries', source);
    return make(RUNTIME, LIBRARY.functions, LIBRARY.tables) as LuaScript;
  }

  /** The statements of a function, with the variables that its expressions need. */
  #body(statements: readonly Statement[]): string {
    const outside = this.#expressions.temporaries;
    this.#expressions.temporaries = new Temporaries();
    const code = this.#block(statements);
    const declaration = this.#expressions.temporaries.declaration;
    this.#expressions.temporaries = outside;
    const end = statements.at(-1)?.type === 'ReturnStatement' ? '' : ' return NONE;';
    return `${declaration} ${code}${end}`;
  }

  #function(declaration: FunctionDeclaration): string {
    const { identifier, parameters, body } = declaration;
    const { owner } = this.#expressions;
    this.#expressions.owner = declaration;
    const isMethod = identifier?.type === 'MemberExpression' && identifier.indexer === ':';
    const names = [...(isMethod ? [selfOf(declaration)] : []), ...parameters].map((parameter) =>
      parameter.type === 'Identifier' ? this.#local(parameter).code : '...$rest',
    );
    const code = this.#body(body);
    this.#expressions.owner = owner;
    return `function (${names.join(', ')}) { ${code} }`;
  }

  #block(statements: readonly Statement[]): string {
    return statements.map((statement) => `${startMark(statement)}${this.#statement(statement)}`).join(' ');
  }

  #statement(statement: Statement): string {
    const condition = (expression: Expression): string => this.#expressions.condition(expression);
    switch (statement.type) {
      case 'LocalStatement':
        return this.#declaration(statement);
      case 'AssignmentStatement':
        return this.#assignment(statement);
      case 'CallStatement':
        return `${this.#expressions.results(statement.expression)};`;
      case 'DoStatement':
        return `{ ${this.#block(statement.body)} }`;
      case 'WhileStatement':
        return `while (${condition(statement.condition)}) { ${this.#block(statement.body)} }`;
      case 'RepeatStatement':
        return `for (;;) { ${this.#block(statement.body)} if (${condition(statement.condition)}) break; }`;
      case 'IfStatement':
        return statement.clauses
          .map((clause) => {
            const body = `{ ${this.#block(clause.body)} }`;
            return 'condition' in clause ? `if (${condition(clause.condition)}) ${body}` : body;
          })
          .join(' else ');
      case 'ForNumericStatement':
        return this.#numericLoop(statement);
      case 'ForGenericStatement':
        return this.#genericLoop(statement);
      case 'FunctionDeclaration':
        return this.#namedFunction(statement);
      case 'BreakStatement':
        return 'break;';
      case 'ReturnStatement':
        return this.#return(statement);
      default:
        throw new Error(`Lua 5.1 has no ${statement.type}`);
    }
  }

  #declaration({ variables, init }: LocalStatement): string {
    const names = variables.map((variable) => this.#local(variable).code);
    const last = init.at(-1);
    if (last && isMultiple(last) && names.length > init.length)
      return `let ${names.join(', ')}; ${this.#spread(names, init)}`;
    const values = init.map((expression) => this.#expressions.value(expression));
    const more = values.slice(names.length).map((value) => `${value};`);
    const declared = names.map((name, i) => (values[i] === undefined ? name : `${name} = ${values[i]}`));
    return `let ${declared.join(', ')}; ${more.join(' ')}`;
  }

  /** Assigns the values of a list, of which the last has several, to variables of which there are more. */
  #spread(names: readonly string[], init: readonly Expression[]): string {
    const before = init.slice(0, -1).map((expression, i) => `${names[i]} = ${this.#expressions.value(expression)};`);
    const rest = names.slice(init.length - 1);
    const results = this.#newName('results');
    const last = this.#expressions.results(init.at(-1) as Expression);
    const each = rest.map((name, i) => `${name} = ${results}[${i}];`).join(' ');
    const single = rest.map((name, i) => `${name} = ${i === 0 ? results : 'undefined'};`).join(' ');
    return `${before.join(' ')} { const ${results} = ${last}; if (Array.isArray(${results})) { ${each} } else { ${single} } }`;
  }

  #assignment({ variables, init }: AssignmentStatement): string {
    const [target] = variables;
    const [value] = init;
    if (variables.length === 1 && init.length === 1 && target && value)
      return this.#setter(target)(this.#expressions.value(value));
    const [before, setters] = this.#targets(variables);
    const names = variables.map(() => this.#newName('value'));
    const isSpread = isMultiple(init.at(-1)) && variables.length > init.length;
    let values: string;
    if (isSpread) values = `let ${names.join(', ')}; ${this.#spread(names, init)}`;
    else {
      const codes = init.map((expression) => this.#expressions.value(expression));
      const held = names.map((name, i) => `const ${name} = ${codes[i] ?? 'undefined'};`);
      values = [...held, ...codes.slice(names.length).map((code) => `${code};`)].join(' ');
    }
    // Lua assigns from the last to the first.
    const assigned = setters.map((set, i) => set(names[i] as string)).reverse();
    return `{ ${before} ${values} ${assigned.join(' ')} }`;
  }

  /** Evaluates the tables and keys of targets once, before the values. */
  #targets(variables: readonly Variable[]): readonly [before: string, setters: readonly ((value: string) => string)[]] {
    const before: string[] = [];
    const held = (code: string): string => {
      if (/^("[^"\\]*"|\d+)$/.test(code)) return code;
      const name = this.#newName('target');
      before.push(`const ${name} = ${code};`);
      return name;
    };
    const setters = variables.map((target) => {
      if (target.type === 'Identifier') return this.#setter(target);
      const table = held(this.#expressions.value(target.base));
      const key = held(this.#keyOf(target));
      const name = JSON.stringify(this.#expressions.nameOf(target.base));
      return (value: string) => `setIndex(${table}, ${key}, ${value}, ${name});`;
    });
    return [before.join(' '), setters];
  }

  #setter(target: Variable): (value: string) => string {
    if (target.type === 'Identifier') {
      const local = this.#expressions.local(target);
      if (local) return (value) => `${local.code} = ${value};`;
      return (value) => `${value}; fail("Attempt to modify a readonly table");`;
    }
    const table = this.#expressions.value(target.base);
    const key = this.#keyOf(target);
    const name = JSON.stringify(this.#expressions.nameOf(target.base));
    return (value) => `setIndex(${table}, ${key}, ${value}, ${name});`;
  }

  #keyOf(target: MemberExpression | IndexExpression): string {
    if (target.type === 'MemberExpression') return JSON.stringify(target.identifier.name);
    return this.#expressions.value(target.index);
  }

  #numericLoop({ variable, start, end, step, body }: ForNumericStatement): string {
    const [count, limit, by] = [this.#newName('count'), this.#newName('limit'), this.#newName('step')];
    const number = (expression: typeof start, part: string): string => {
      const code = this.#expressions.value(expression);
      return this.#expressions.types.of(expression) === 'number' ? code : `loopNumber(${code}, "${part}")`;
    };
    const own = `let ${this.#local(variable).code} = ${count}; ${this.#block(body)}`;
    const first = `let ${count} = ${number(start, 'initial')}, ${limit} = ${number(end, 'limit')}`;
    if (!step) return `for (${first}; ${count} <= ${limit}; ${count} += 1) { ${own} }`;
    const test = `${by} > 0 ? ${count} <= ${limit} : ${count} >= ${limit}`;
    return `for (${first}, ${by} = ${number(step, 'step')}; ${test}; ${count} += ${by}) { ${own} }`;
  }

  #genericLoop({ variables, iterators, body }: ForGenericStatement): string {
    const names = variables.map((variable) => this.#local(variable).code);
    const [walk, found] = [this.#newName('walk'), this.#newName('found')];
    const own = this.#block(body);
    const [key, value, ...more] = names;
    const ofWalk = [`let ${key} = ${walk}.key`, ...(value ? [`${value} = ${walk}.value`] : []), ...more].join(', ');
    return [
      `{ const ${walk} = iterate([${this.#expressions.list(iterators)}]);`,
      `while (${walk}.step()) { ${ofWalk};`,
      more.length > 0
        ? `const ${found} = ${walk}.more; ${more.map((name, i) => `${name} = ${found}[${i + 2}];`).join(' ')}`
        : '',
      `${own} } }`,
    ].join(' ');
  }

  #namedFunction(declaration: FunctionDeclaration): string {
    const { identifier, isLocal } = declaration;
    const code = this.#function(declaration);
    if (!identifier) return `(${code});`;
    if (isLocal) {
      const local = this.#local(identifier as Identifier);
      return `${local.isReassigned ? 'let' : 'const'} ${local.code} = ${code};`;
    }
    return this.#setter(identifier)(`(${code})`);
  }

  #return({ arguments: values }: ReturnStatement): string {
    const [first] = values;
    if (!first) return 'return NONE;';
    if (values.length > 1) return `return ([${this.#expressions.list(values)}]);`;
    if (isMultiple(first)) return `return (${this.#expressions.results(first)});`;
    return `return (${this.#expressions.value(first)});`;
  }

  #local(identifier: Identifier): Local {
    return this.#expressions.local(identifier) as Local;
  }

  #newName(what: string): string {
    this.#names += 1;
    return `$${what}${this.#names}`;
  }
}

function startMark({ loc }: Statement): string {
  return loc ? lineMark({ loc: { start: loc.start, end: loc.start } }) : '';
}

/** Puts code onto the lines on which its Lua stands, so that the stack of JavaScript tells the lines of Lua. */
function onTheirLines(code: string): string {
  let line = 1;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no text of a script has them, since they are escaped there.
  return code.replace(/\u0001(\d+)\u0002/g, (_, wanted) => {
    const missing = Number(wanted) - line;
    if (missing <= 0) return '';
    line = Number(wanted);
    return '\n'.repeat(missing);
  });
}
