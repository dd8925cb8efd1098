import { fail } from './lua-error.js';
import type { LuaValue } from './lua-value.js';

/**
 * A table. The values of 1, 2, 3 ... are in a list, the others in a map. There are no metatables. The list may have holes, but its last
 * value is never nil, so its length is a border as Lua's `#` returns it.
 */
export class LuaTable {
  readonly list: LuaValue[];
  map: Map<LuaValue, LuaValue> | undefined = undefined;
  isReadonly = false;
  /** The walk of the last `next`, which mostly asks for what comes after its last answer. */
  #walk: Walk | undefined;

  /** @param list - the values of 1, 2, 3 ... The table keeps the array. */
  constructor(list: LuaValue[] = []) {
    this.list = list;
    if (list.length > 0 && list[list.length - 1] === undefined) this.#trim();
  }

  static ofFields(fields: Readonly<Record<string, LuaValue>>): LuaTable {
    const table = new LuaTable();
    for (const [key, value] of Object.entries(fields)) table.setString(key, value);
    return table;
  }

  get length(): number {
    return this.list.length;
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'number') {
      const { list } = this;
      if ((key | 0) === key && key > 0 && key <= list.length) return list[key - 1];
    }
    return this.map === undefined ? undefined : this.map.get(key);
  }

  getString(key: string): LuaValue {
    return this.map === undefined ? undefined : this.map.get(key);
  }

  /** @throws LuaError if the key is nil or no number, or if the table may not be changed */
  set(key: LuaValue, value: LuaValue): void {
    if (typeof key === 'number' && (key | 0) === key && key > 0) {
      const { list } = this;
      const { length } = list;
      if (key <= length && !this.isReadonly) {
        list[key - 1] = value;
        if (value === undefined && key === length) this.#trim();
        return;
      }
      if (key === length + 1 && value !== undefined && !this.isReadonly) {
        list.push(value);
        if (this.map !== undefined && this.map.size > 0) this.#adopt(key);
        return;
      }
    }
    this.#setInMap(key, value);
  }

  setString(key: string, value: LuaValue): void {
    if (this.isReadonly) fail('Attempt to modify a readonly table');
    if (value === undefined) {
      this.map?.delete(key);
      return;
    }
    this.map ??= new Map();
    this.map.set(key, value);
  }

  /** Returns the key and the value after a key; nothing at the end. */
  next(key: LuaValue): readonly [LuaValue, LuaValue] | undefined {
    const walk = key !== undefined && this.#walk?.key === key ? this.#walk : new Walk(this);
    this.#walk = walk;
    if (walk.key !== key) while (walk.step() && walk.key !== key);
    if (key !== undefined && walk.key === undefined) fail("invalid key to 'next'");
    if (walk.step()) return [walk.key, walk.value];
    this.#walk = undefined;
    return undefined;
  }

  walk(): Walk {
    return new Walk(this);
  }

  #setInMap(key: LuaValue, value: LuaValue): void {
    if (this.isReadonly) fail('Attempt to modify a readonly table');
    if (key === undefined) fail('table index is nil');
    if (Number.isNaN(key)) fail('table index is NaN');
    if (value === undefined) {
      // Not deleted: a walk may stand here.
      if (this.map?.has(key)) this.map.set(key, undefined);
      return;
    }
    this.map ??= new Map();
    this.map.set(key, value);
  }

  #trim(): void {
    const { list } = this;
    let length = list.length;
    while (length > 0 && list[length - 1] === undefined) length -= 1;
    list.length = length;
  }

  /** Moves what follows the list from the map into it. */
  #adopt(last: number): void {
    const map = this.map as Map<LuaValue, LuaValue>;
    map.delete(last);
    for (let key = last + 1; ; key += 1) {
      const value = map.get(key);
      if (value === undefined) return;
      this.list.push(value);
      map.delete(key);
    }
  }
}

/** Goes through a table, which may lose entries meanwhile: first the list, and then the map in the order of its writes. */
export class Walk {
  key: LuaValue = undefined;
  value: LuaValue = undefined;
  readonly #table: LuaTable;
  #index = 0;
  #rest: Iterator<[LuaValue, LuaValue]> | undefined;

  constructor(table: LuaTable) {
    this.#table = table;
  }

  /** Goes on to the next entry. Returns whether there is one. */
  step(): boolean {
    const { list, map } = this.#table;
    while (this.#rest === undefined && this.#index < list.length) {
      const value = list[this.#index];
      this.#index += 1;
      if (value === undefined) continue;
      this.key = this.#index;
      this.value = value;
      return true;
    }
    this.#rest ??= map?.entries();
    for (;;) {
      const entry = this.#rest?.next();
      if (entry === undefined || entry.done) break;
      if (entry.value[1] === undefined) continue;
      [this.key, this.value] = entry.value;
      return true;
    }
    this.key = undefined;
    this.value = undefined;
    return false;
  }
}
