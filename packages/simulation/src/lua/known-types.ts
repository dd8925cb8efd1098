import type { Expression, LogicalExpression } from 'luaparse';
import { BUILTINS, builtinOf, type Type } from './builtins.js';
import { isCall } from './parse.js';
import type { Local, Scopes } from './scopes.js';

/** What can be said of a type: nothing yet, one type, or that there are several. */
type Known = Type | 'none' | 'several';

const ARITHMETIC = ['+', '-', '*', '/', '%', '^'];

/** The types of expressions and of local variables, as far as they are the same whenever the script runs. */
export class KnownTypes {
  readonly #scopes: Scopes;
  readonly #byLocal = new Map<Local, Known>();

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
    // Each round finds more types in a variable, or nothing new.
    for (let isNew = true; isNew; ) {
      isNew = false;
      for (const local of scopes.all) {
        const before = this.#ofLocal(local);
        const after = local.values.reduce((all: Known, value) => either(all, this.#ofValue(value)), before);
        this.#byLocal.set(local, after);
        isNew ||= after !== before;
      }
    }
  }

  /** The type of an expression; undefined if it may have several, or be nil. */
  of(expression: Expression): Type | undefined {
    const known = this.#of(expression);
    return known === 'none' || known === 'several' ? undefined : known;
  }

  #ofLocal(local: Local): Known {
    return this.#byLocal.get(local) ?? 'none';
  }

  #ofValue(value: Local['values'][number]): Known {
    if (value === 'nil' || value === 'unknown') return 'several';
    return value === 'number' ? 'number' : this.#of(value);
  }

  #of(expression: Expression): Known {
    switch (expression.type) {
      case 'NumericLiteral':
        return 'number';
      case 'StringLiteral':
        return 'string';
      case 'BooleanLiteral':
        return 'boolean';
      case 'TableConstructorExpression':
        return 'table';
      case 'FunctionDeclaration':
        return 'function';
      case 'UnaryExpression':
        return expression.operator === 'not' ? 'boolean' : 'number';
      case 'BinaryExpression':
        if (ARITHMETIC.includes(expression.operator)) return 'number';
        return expression.operator === '..' ? 'string' : 'boolean';
      case 'LogicalExpression':
        return this.#ofLogical(expression);
      case 'Identifier': {
        const local = this.#scopes.locals.get(expression);
        if (local) return this.#ofLocal(local);
        return builtinOf(expression, this.#scopes) ? 'function' : 'several';
      }
      case 'MemberExpression':
        return builtinOf(expression, this.#scopes) ? 'function' : 'several';
      default:
        return isCall(expression) ? this.#ofCall(expression.base) : 'several';
    }
  }

  /** `a and b or c`, too, is one of its last two values. */
  #ofLogical({ operator, left, right }: LogicalExpression): Known {
    const [first, second] = [this.#of(left), this.#of(right)];
    if (operator === 'and') return first === 'boolean' || first === 'several' ? either(first, second) : second;
    if (left.type === 'LogicalExpression' && left.operator === 'and' && isTrue(this.#of(left.right)))
      return either(this.#of(left.right), second);
    return either(first, second);
  }

  #ofCall(base: Expression): Known {
    const builtin = builtinOf(base, this.#scopes);
    const results = builtin === undefined ? 'any' : BUILTINS[builtin];
    return results === undefined || results === 'any' || results === 'one' ? 'several' : results;
  }
}

const isTrue = (type: Known): boolean => type !== 'boolean' && type !== 'several';

function either(one: Known, other: Known): Known {
  if (one === 'none') return other;
  return other === 'none' || one === other ? one : 'several';
}
