import { LuaTable, type Walk } from './lua-table.js';
import { allOf, firstOf, type LuaFunction, type LuaValue } from './lua-value.js';
import { notCallable } from './operations.js';

/** A loop `for ... in ...` on its way. */
interface Iteration {
  readonly key: LuaValue;
  readonly value: LuaValue;
  /** All values of this turn, if there may be more than two. */
  readonly more: readonly LuaValue[];
  step(): boolean;
}

/** The iterators of `pairs` and `ipairs`, whose loops need no calls. */
interface KnownIterators {
  readonly next: LuaFunction;
  readonly nextIndex: LuaFunction;
}

/** Returns how a loop goes over what stands after its `in`. */
export function iterationOf([iterator, state, control]: readonly LuaValue[], known: KnownIterators): Iteration {
  if (control === undefined && iterator === known.next && state instanceof LuaTable) return new Entries(state.walk());
  if (control === 0 && iterator === known.nextIndex && state instanceof LuaTable) return new Indices(state);
  const call = typeof iterator === 'function' ? (iterator as LuaFunction) : notCallable(iterator, '');
  return new Calls(call, state, control);
}

class Entries implements Iteration {
  readonly more: readonly LuaValue[] = [];
  readonly #walk: Walk;

  constructor(walk: Walk) {
    this.#walk = walk;
  }

  get key(): LuaValue {
    return this.#walk.key;
  }

  get value(): LuaValue {
    return this.#walk.value;
  }

  step(): boolean {
    return this.#walk.step();
  }
}

class Indices implements Iteration {
  readonly more: readonly LuaValue[] = [];
  key = 0;
  value: LuaValue = undefined;
  readonly #table: LuaTable;

  constructor(table: LuaTable) {
    this.#table = table;
  }

  step(): boolean {
    this.key += 1;
    this.value = this.#table.get(this.key);
    return this.value !== undefined;
  }
}

class Calls implements Iteration {
  key: LuaValue;
  value: LuaValue = undefined;
  more: readonly LuaValue[] = [];
  readonly #call: LuaFunction;
  readonly #state: LuaValue;

  constructor(call: LuaFunction, state: LuaValue, control: LuaValue) {
    this.#call = call;
    this.#state = state;
    this.key = control;
  }

  step(): boolean {
    const result = this.#call(this.#state, this.key);
    this.key = firstOf(result);
    this.more = allOf(result);
    this.value = this.more[1];
    return this.key !== undefined;
  }
}
