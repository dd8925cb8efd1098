import type { SluiceError } from '@sluice/core';
import { reasonOf, show } from '@sluice/core/values';
import type { Mistake, MistakeCode } from './mistake.js';
import { type Path, pathOf, pathText } from './path.js';

/** Where a mistake is: at a key, at a value, or where something is missing, which is at the key of what it is missing in. */
export type Place = 'key' | 'value' | 'missing';

/** A line and a column, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds a place of a document. */
type Locate = (path: Path, place: Place) => Position;

/** More than anybody reads. The rest is counted. */
const MOST_MISTAKES = 1000;

/** What else there is to say about a mistake. */
interface MistakeDetails {
  /** Default: `'value'`. */
  readonly at?: Place;
  /** Default: `SLUICE_OPTION`. */
  readonly code?: MistakeCode;
}

/** Collects the mistakes of a file. */
export class MistakeList {
  readonly #origin: string;
  readonly #locate: Locate;
  readonly #mistakes: Mistake[] = [];
  /** The places that have a mistake. */
  readonly #paths = new Set<string>();
  /** The mappings with a word that should not be there. */
  readonly #wrongWords = new Set<string>();
  /** All places around them. */
  readonly #damaged = new Set<string>();
  #unlisted = 0;

  constructor(origin: string, locate: Locate) {
    this.#origin = origin;
    this.#locate = locate;
  }

  /**
   * Adds a mistake. Only the first one at each path is kept: others are usually its consequences.
   *
   * @param rule - follows the path: `must be a whole number of at least 0`
   */
  add(path: Path, rule: string, { at = 'value', code = 'SLUICE_OPTION' }: MistakeDetails = {}): void {
    const text = pathText(path);
    if (this.#paths.has(text)) return;
    this.#paths.add(text);
    if (at === 'key') this.#wrongWords.add(pathText(path.slice(0, -1)));
    for (let i = 0; i < path.length; i += 1) this.#damaged.add(pathText(path.slice(0, i)));
    if (this.#mistakes.length < MOST_MISTAKES) this.#mistakes.push(this.located(path, rule, { at, code }));
    else this.#unlisted += 1;
  }

  /** Returns what there is to say about a place, without adding it. */
  located(path: Path, rule: string, { at = 'value', code = 'SLUICE_OPTION' }: MistakeDetails = {}): Mistake {
    return this.#mistake(this.#locate(path, at), pathText(path), rule, code);
  }

  /** Adds a mistake with the value that is wrong. */
  addValue(path: Path, rule: string, received: unknown, details?: MistakeDetails): void {
    this.add(path, `${rule}, got ${show(received)}`, details);
  }

  /** Adds an error of the core about options that stand at `base` in the file. */
  addError(base: Path, error: SluiceError, inner: Path = pathOf(error.path ?? '')): void {
    const own = error.path ?? '';
    const text = reasonOf(error);
    const rule = text.startsWith(own) ? text.slice(own.length).trimStart() : text;
    const isMissing = 'received' in error && error.received === undefined;
    this.add([...base, ...inner], rule, { at: isMissing ? 'missing' : 'value' });
  }

  /** Whether a word of this mapping should not be there, or should be another one. */
  hasUnknownWord(path: Path): boolean {
    return this.#wrongWords.has(pathText(path));
  }

  /** Whether there is a mistake at this very place. */
  has(path: Path): boolean {
    return this.#paths.has(pathText(path));
  }

  /** Whether there is a mistake at this place, or in it. */
  isDamaged(path: Path): boolean {
    const text = pathText(path);
    return this.#paths.has(text) || this.#damaged.has(text);
  }

  /** Adds a mistake of the syntax, which has no path. Others in the same place are its consequences. */
  addSyntax(position: Position, rule: string): void {
    const isConsequence = this.#mistakes.some(
      ({ line, column }) => line === position.line && column === position.column,
    );
    if (isConsequence) return;
    this.#mistakes.push(this.#mistake(position, '', rule, 'SLUICE_POLICY_FILE'));
  }

  /** All mistakes in the order of the text; undefined if there are none. */
  sorted(): readonly [Mistake, ...Mistake[]] | undefined {
    const [first, ...others] = this.#mistakes.toSorted(byPlace);
    if (first === undefined) return undefined;
    if (this.#unlisted === 0) return [first, ...others];
    const last = others.at(-1) ?? first;
    return [first, ...others, { ...last, path: '', message: `${this.#unlisted} more mistakes are not listed` }];
  }

  #mistake(position: Position, path: string, rule: string, code: MistakeCode): Mistake {
    return { origin: this.#origin, ...position, path, message: path === '' ? rule : `${path} ${rule}`, code };
  }
}

/** Orders mistakes as their places stand in the text. */
export function byPlace(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}
