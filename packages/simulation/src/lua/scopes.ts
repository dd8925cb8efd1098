import type {
  Chunk,
  Expression,
  FunctionDeclaration,
  Identifier,
  IndexExpression,
  MemberExpression,
  Statement,
} from 'luaparse';
import { argumentsOf, isMultiple } from './parse.js';

/** A local variable of a script. */
export interface Local {
  /** Its name in JavaScript, which no other variable of the script has. */
  readonly code: string;
  /** The function in which it is declared. */
  readonly owner: object;
  /** All that is ever assigned to it; `'unknown'` for a parameter or one of several results. */
  readonly values: (Expression | 'nil' | 'number' | 'unknown')[];
  isReassigned: boolean;
}

/** What each name of a script means. */
export interface Scopes {
  /** The variable of a name, where it is used, and where it is declared. A name without one is global. */
  readonly locals: ReadonlyMap<Identifier, Local>;
  /** All variables. */
  readonly all: readonly Local[];
}

/** Finds the variable of each name in a script. */
export function scopesOf(chunk: Chunk): Scopes {
  const finder = new ScopeFinder(chunk);
  finder.block(chunk.body);
  return finder;
}

class ScopeFinder implements Scopes {
  readonly locals = new Map<Identifier, Local>();
  readonly all: Local[] = [];
  #visible: ReadonlyMap<string, Local> = new Map();
  #owner: object;

  constructor(chunk: Chunk) {
    this.#owner = chunk;
  }

  block(statements: readonly Statement[], more: () => void = () => {}): void {
    const outside = this.#visible;
    for (const statement of statements) this.#statement(statement);
    more();
    this.#visible = outside;
  }

  #declare(name: Identifier, ...values: Local['values']): void {
    const code = `${name.name}$${this.all.length}`;
    const local: Local = { code, owner: this.#owner, values, isReassigned: false };
    this.all.push(local);
    this.locals.set(name, local);
    this.#visible = new Map(this.#visible).set(name.name, local);
  }

  #assign(name: Identifier, value: Local['values'][number]): void {
    this.#expression(name);
    const local = this.locals.get(name);
    if (!local) return;
    local.isReassigned = true;
    local.values.push(value);
  }

  #statement(statement: Statement): void {
    switch (statement.type) {
      case 'LocalStatement': {
        const { variables, init } = statement;
        for (const value of init) this.#expression(value);
        variables.forEach((name, i) => {
          this.#declare(name, valueAt(init, i));
        });
        return;
      }
      case 'AssignmentStatement':
        this.#assignment(statement.variables, statement.init);
        break;
      case 'CallStatement':
        this.#expression(statement.expression);
        break;
      case 'DoStatement':
        this.block(statement.body);
        break;
      case 'WhileStatement':
        this.#expression(statement.condition);
        this.block(statement.body);
        break;
      case 'RepeatStatement':
        this.block(statement.body, () => this.#expression(statement.condition));
        break;
      case 'IfStatement':
        for (const clause of statement.clauses) {
          if ('condition' in clause) this.#expression(clause.condition);
          this.block(clause.body);
        }
        return;
      case 'ForNumericStatement':
        for (const value of [statement.start, statement.end, statement.step]) if (value) this.#expression(value);
        this.#loop([[statement.variable, 'number']], statement.body);
        break;
      case 'ForGenericStatement':
        for (const value of statement.iterators) this.#expression(value);
        this.#loop(
          statement.variables.map((name) => [name, 'unknown'] as const),
          statement.body,
        );
        break;
      case 'FunctionDeclaration':
        this.#namedFunction(statement);
        break;
      case 'ReturnStatement':
        for (const value of statement.arguments) this.#expression(value);
    }
  }

  #loop(variables: readonly (readonly [Identifier, 'number' | 'unknown'])[], body: readonly Statement[]): void {
    const outside = this.#visible;
    for (const [name, value] of variables) this.#declare(name, value);
    this.block(body);
    this.#visible = outside;
  }

  #assignment(
    variables: readonly (IndexExpression | MemberExpression | Identifier)[],
    init: readonly Expression[],
  ): void {
    for (const value of init) this.#expression(value);
    variables.forEach((target, i) => {
      if (target.type === 'Identifier') this.#assign(target, valueAt(init, i));
      else this.#expression(target);
    });
  }

  #namedFunction(declaration: FunctionDeclaration): void {
    const { identifier, isLocal } = declaration;
    if (identifier && isLocal) this.#declare(identifier as Identifier, declaration);
    else if (identifier?.type === 'Identifier') this.#assign(identifier, declaration);
    else if (identifier) this.#expression(identifier);
    this.#function(declaration);
  }

  #function(declaration: FunctionDeclaration): void {
    const { identifier, parameters, body } = declaration;
    const [outside, owner] = [this.#visible, this.#owner];
    this.#owner = declaration;
    if (identifier?.type === 'MemberExpression' && identifier.indexer === ':')
      this.#declare(selfOf(declaration), 'unknown');
    for (const parameter of parameters) if (parameter.type === 'Identifier') this.#declare(parameter, 'unknown');
    this.block(body);
    this.#visible = outside;
    this.#owner = owner;
  }

  #expression(expression: Expression): void {
    switch (expression.type) {
      case 'Identifier': {
        const local = this.#visible.get(expression.name);
        if (local) this.locals.set(expression, local);
        return;
      }
      case 'FunctionDeclaration':
        this.#function(expression);
        break;
      case 'UnaryExpression':
        this.#expression(expression.argument);
        break;
      case 'BinaryExpression':
      case 'LogicalExpression':
        this.#expression(expression.left);
        this.#expression(expression.right);
        break;
      case 'MemberExpression':
        this.#expression(expression.base);
        break;
      case 'IndexExpression':
        this.#expression(expression.base);
        this.#expression(expression.index);
        break;
      case 'CallExpression':
      case 'TableCallExpression':
      case 'StringCallExpression':
        this.#expression(expression.base);
        for (const value of argumentsOf(expression)) this.#expression(value);
        return;
      case 'TableConstructorExpression':
        for (const field of expression.fields) {
          if (field.type === 'TableKey') this.#expression(field.key);
          this.#expression(field.value);
        }
    }
  }
}

const selves = new WeakMap<FunctionDeclaration, Identifier>();

/** The first parameter of a function that was declared with a colon. */
export function selfOf(declaration: FunctionDeclaration): Identifier {
  let self = selves.get(declaration);
  if (!self) {
    self = { type: 'Identifier', name: 'self' };
    selves.set(declaration, self);
  }
  return self;
}

function valueAt(init: readonly Expression[], i: number): Local['values'][number] {
  const last = init.at(-1);
  if (i >= init.length - 1 && isMultiple(last)) return i === init.length - 1 ? (last as Expression) : 'unknown';
  return init[i] ?? 'nil';
}
