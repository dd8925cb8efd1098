import { parse } from '@babel/parser';
import type { Class, Expression, Identifier, Node, Statement, VariableDeclarator } from '@babel/types';

/**
 * The code of a bundle, made once for all processes of a thread. V8 makes code fast that runs often; functions and classes that were
 * made anew for each process would always be cold. Functions and classes keep nothing, so that all processes can share them. Every
 * other variable of a module belongs to one process: it is put in place before the process runs, and kept when another one runs.
 */
interface SharedCode {
  /** Runs what modules do when they are loaded. The variables then are those of a new process. */
  begin(given: Readonly<Record<string, unknown>>): void;
  /** Returns the variables of the process that runs. */
  variables(): unknown[];
  /** Writes those that may have changed since into that list. */
  keep(variables: unknown[]): void;
  /** Makes the variables of a list those of the process that runs. */
  putInPlace(variables: readonly unknown[]): void;
}

/**
 * Makes a text the shared code of processes.
 *
 * @param text - a script, whose functions and variables are those of modules
 * @param given - the names of what each process is given. The text sees them as its own variables.
 */
export function sharedCode(text: string, given: readonly string[]): SharedCode {
  // Not a script of node:vm, so that an error of a process is an Error here, also in the sandbox of a test.
  return new Function(`${new Splitting(text, given).result()}\n//# sourceURL=sluice-of-a-process.cjs`)() as SharedCode;
}

/** Splits a script into what all processes share, and what each process does by itself. */
class Splitting {
  readonly #text: string;
  readonly #given: readonly string[];
  /** Names to which something is assigned after their declaration, wherever that is. */
  readonly #assigned = new Set<string>();
  readonly #sharedNames = new Set<string>();
  readonly #shared: string[] = [];
  /** The variables of a process. */
  readonly #own: string[] = [];
  readonly #loading: string[] = [];

  constructor(text: string, given: readonly string[]) {
    this.#text = text;
    this.#given = given;
  }

  result(): string {
    const { program } = parse(this.#text, { sourceType: 'script' });
    collectAssigned(program, this.#assigned);
    const functions = program.body.filter((statement) => statement.type === 'FunctionDeclaration');
    for (const { id } of functions) if (id && !this.#assigned.has(id.name)) this.#sharedNames.add(id.name);
    for (const statement of program.body) this.#split(statement);
    const names = [...this.#given, ...this.#own];
    const changing = names.flatMap((name, i) => (this.#assigned.has(name) ? [`$to[${i}] = ${name};`] : []));
    return [
      program.directives.some(({ value }) => value.value === 'use strict') ? '"use strict";' : '',
      `let ${names.join(', ')};`,
      ...this.#shared,
      `return { begin($given) { ({ ${this.#given.join(', ')} } = $given);`,
      ...this.#loading,
      `}, variables: () => [${names.join(', ')}],`,
      `keep($to) { ${changing.join(' ')} },`,
      `putInPlace($from) { ${names.map((name, i) => `${name} = $from[${i}];`).join(' ')} } };`,
    ].join('\n');
  }

  #split(statement: Statement): void {
    switch (statement.type) {
      case 'FunctionDeclaration':
      case 'ClassDeclaration': {
        const id = statement.id as Identifier;
        if (this.#isShareable(statement, id.name)) this.#share(id.name, this.#textOf(statement));
        else this.#keep([id.name], `${id.name} = ${this.#anonymous(statement, id)};`);
        return;
      }
      case 'VariableDeclaration':
        for (const declarator of statement.declarations) this.#splitVariable(declarator);
        return;
      default:
        this.#loading.push(this.#textOf(statement));
    }
  }

  #splitVariable({ id, init }: VariableDeclarator): void {
    const pattern = this.#textOf(id);
    if (id.type === 'Identifier' && init && this.#isShareable(init, id.name)) {
      this.#share(id.name, `const ${pattern} = ${this.#textOf(init)};`);
    } else {
      this.#keep(namesIn(id), `(${pattern} = ${init ? this.#textOf(init) : 'undefined'});`);
    }
  }

  #share(name: string, code: string): void {
    this.#sharedNames.add(name);
    this.#shared.push(code);
  }

  #keep(names: readonly string[], code: string): void {
    this.#own.push(...names);
    this.#loading.push(code);
  }

  #isShareable(node: Expression | Statement, name: string): boolean {
    return !this.#assigned.has(name) && this.#isConstant(node);
  }

  /** Whether something has the same value in every process, and nobody can change it. */
  #isConstant(node: Node | null | undefined): boolean {
    switch (node?.type) {
      case undefined:
      case 'NumericLiteral':
      case 'StringLiteral':
      case 'BooleanLiteral':
      case 'NullLiteral':
      case 'BigIntLiteral':
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return true;
      // One with these flags remembers where it has found something.
      case 'RegExpLiteral':
        return !/[gy]/.test(node.flags);
      case 'Identifier':
        return node.name === 'undefined' || this.#sharedNames.has(node.name);
      case 'MemberExpression':
        return isOfLanguage(node.object) && (!node.computed || this.#isConstant(node.property));
      case 'UnaryExpression':
        return node.operator !== 'delete' && this.#isConstant(node.argument);
      case 'BinaryExpression':
      case 'LogicalExpression':
        return this.#isConstant(node.left) && this.#isConstant(node.right);
      case 'ClassDeclaration':
      case 'ClassExpression':
        return this.#isConstantClass(node);
      default:
        return false;
    }
  }

  /** What a class keeps itself stands in its static properties. */
  #isConstantClass({ superClass, body }: Class): boolean {
    return (
      this.#isConstant(superClass) &&
      body.body.every((member) => {
        if (member.type === 'StaticBlock') return false;
        if ('computed' in member && member.computed && !this.#isConstant(member.key)) return false;
        const isProperty = member.type === 'ClassProperty' || member.type === 'ClassPrivateProperty';
        return !isProperty || !member.static;
      })
    );
  }

  /** A function or class without its name, which would be another variable inside it. */
  #anonymous({ start, end }: Node, id: Node): string {
    return this.#text.slice(start as number, id.start as number) + this.#text.slice(id.end as number, end as number);
  }

  #textOf({ start, end }: Node): string {
    return this.#text.slice(start as number, end as number);
  }
}

/** Whether a value belongs to the language itself. Of what shows time or chance, each process has its own. */
function isOfLanguage(node: Node): boolean {
  if (node.type === 'MemberExpression') return !node.computed && isOfLanguage(node.object);
  return node.type === 'Identifier' && ['Number', 'Object', 'Symbol'].includes(node.name);
}

function namesIn(pattern: Node): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? namesIn(element) : []));
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    // A field, and no variable.
    case 'MemberExpression':
      return [];
    default:
      throw new Error(`A bundle declares variables by a ${pattern.type}`);
  }
}

/** Collects the names to which something is assigned. Whether they are those of modules or hidden by others does not matter. */
function collectAssigned(node: Node, names: Set<string>): void {
  if (node.type === 'AssignmentExpression') collectTargets(node.left, names);
  else if (node.type === 'UpdateExpression') collectTargets(node.argument, names);
  else if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') collectTargets(node.left, names);
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) for (const one of value) visit(one, names);
    else visit(value, names);
  }
}

function visit(value: unknown, names: Set<string>): void {
  if (typeof value === 'object' && value !== null && 'type' in value) collectAssigned(value as Node, names);
}

function collectTargets(target: Node, names: Set<string>): void {
  if (target.type === 'VariableDeclaration') return;
  for (const name of namesIn(target)) names.add(name);
}
