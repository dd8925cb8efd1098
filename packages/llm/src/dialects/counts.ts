import { isObject, isStated, type JsonObject } from '../json-object.js';
import { MOST_TOKENS } from '../usage/usage.js';

/** A number in a usage that makes no sense. */
export interface InvalidUsage {
  /** Where it stands: `usage.completion_tokens`. */
  readonly field: string;
  /** What stands there. */
  readonly received: unknown;
}

/** Reads the counts of a stated usage by their paths, and keeps the first one that makes no sense. */
export class Counts {
  invalid: InvalidUsage | undefined;
  readonly #stated: JsonObject;

  constructor(stated: JsonObject) {
    this.#stated = stated;
  }

  /** A count; 0 if it is not stated. */
  of(path: string): number {
    return this.maybe(path) ?? 0;
  }

  /** A count; undefined if it is not stated. */
  maybe(path: string): number | undefined {
    let value: unknown = this.#stated;
    for (const name of path.split('.')) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    if (!isStated(value)) return undefined;
    if (isCount(value)) return value;
    return this.#refuse(path, value);
  }

  /** The sum of a count over the elements of a list that are wanted; 0 if there is no such list. */
  sum(list: string, count: string, isWanted: (element: JsonObject) => boolean): number {
    const { [list]: elements } = this.#stated;
    if (!Array.isArray(elements)) return 0;
    return elements.reduce<number>(
      (sum, element, i) => sum + (isObject(element) && isWanted(element) ? this.of(`${list}.${i}.${count}`) : 0),
      0,
    );
  }

  /** The rest of a count of which other counts are a part. */
  difference(whole: number, parts: number, path: string): number {
    return parts <= whole ? whole - parts : this.#refuse(path, whole);
  }

  /** A part that must not be larger than another number. */
  within(part: number, most: number, path: string, received: unknown): number {
    return part <= most ? part : this.#refuse(path, received);
  }

  #refuse(path: string, received: unknown): 0 {
    this.invalid ??= { field: `usage.${path}`, received };
    return 0;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;
}
