import { CutText } from './cut-text.js';
import type { Place } from './mistake-list.js';
import type { Path } from './path.js';

/**
 * Customers of whom the file says a tier and nothing else. A file can have 100,000 of them, for which the YAML parser would take
 * seconds. So they are cut out of the text before it is parsed.
 */
export class SimpleCustomers {
  readonly names: string[] = [];
  /** The tier of each name. */
  readonly tiers: string[] = [];
  /** Where each name begins in the text. */
  readonly #offsets: number[] = [];
  readonly #text: string;
  readonly #cuts: CutText;
  #rest: string | undefined;
  #places: ReadonlyMap<string, number> | undefined;
  /** Where the word `customers` begins. It has to be a word of the whole document. */
  readonly keyOffset: number;
  /** In which column, from 0, every other customer has to begin; undefined in JSON. */
  readonly indent: number | undefined;

  constructor(text: string, keyOffset: number, indent?: number) {
    this.#text = text;
    this.#cuts = new CutText(text);
    this.keyOffset = keyOffset;
    this.indent = indent;
  }

  /** Adds a customer, whose piece of the text is cut out. */
  add(name: string, tier: string, offset: number, from: number, to: number): void {
    this.names.push(name);
    this.tiers.push(tier);
    this.#offsets.push(offset);
    this.#cuts.cut(from, to);
  }

  /** The text without these customers. */
  get rest(): string {
    this.#rest ??= this.#cuts.rest();
    return this.#rest;
  }

  /** Returns where a place of the rest is in the text. */
  offsetInText(place: number): number {
    return this.#cuts.offsetOf(place);
  }

  /**
   * Returns where a path begins in the text.
   *
   * @param inRest - finds what is not one of these customers
   */
  offsetOf(path: Path, place: Place, inRest: (path: Path, place: Place) => number): number {
    const [section, name, ...word] = path;
    const offset = section === 'customers' && typeof name === 'string' ? this.#offsetOfName(name) : undefined;
    if (offset === undefined) return this.offsetInText(inRest(path, place));
    return word.length > 0 && place === 'value' ? this.#offsetOfTier(offset) : offset;
  }

  #offsetOfName(name: string): number | undefined {
    this.#places ??= new Map(this.names.map((each, i) => [each, this.#offsets[i] as number]));
    return this.#places.get(name);
  }

  #offsetOfTier(offset: number): number {
    const piece = this.#text.slice(offset, offset + 1000);
    // The name can contain the word, too, so the search begins after it.
    const end = /^(?:"[^"]*"|'[^']*'|\S*(?=:\s))/.exec(piece)?.[0].length ?? 0;
    const tier = /tier"?\s*:\s*/.exec(piece.slice(end));
    return tier === null ? offset : offset + end + tier.index + tier[0].length;
  }
}

/** How many customers are read before others have a turn: some milliseconds. */
export const CUSTOMERS_PER_SLICE = 1000;

/** Takes simple customers out of a text; undefined if it has none. It yields after each slice. */
export function* takeSimpleCustomers(text: string): Generator<void, SimpleCustomers | undefined> {
  const take = /^\s*\{/.test(text) ? takeFromJson : takeFromYaml;
  const found = yield* take(text);
  return found !== undefined && found.names.length > 0 ? found : undefined;
}

/** A plain scalar with these letters is its own text in every place, and so is a quoted one without escapes. */
const NAME = `([A-Za-z0-9_][\\w.:@/+-]*|"[^"\\\\\\r\\n]*"|'[^'\\r\\n]*')`;
/** The tier, with its quotes. Without quotes, some words would not be text. */
const TIER = `(?:(?!(?:[Nn]ull|NULL|[Tt]rue|TRUE|[Ff]alse|FALSE)\\b)([A-Za-z][\\w-]*)|"([A-Za-z][\\w-]*)")`;
const WORD = `(?:tier|"tier"): +${TIER}`;

/**
 * One customer in one line, `acme: { tier: pro }`, or in two. The next line must begin another one: after a deeper line, a comment or
 * an empty line, the parser has to say what belongs together.
 */
function entryOf(indent: string): RegExp {
  const body = ` +\\{ *${WORD} *\\}|[ \\t]*\\r?\\n${indent} +${WORD}`;
  const end = `[ \\t]*\\r?\\n(?!${indent}[ \\t]|[ \\t]*(?:#|\\r?\\n))`;
  return new RegExp(`${indent}${NAME}:(?:${body})${end}`, 'y');
}

/** The word alone in its line, then comments and empty lines, and then the first customer. */
const YAML_HEAD = /^customers:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*( +)(?=[^\s#])/m;

function* takeFromYaml(text: string): Generator<void, SimpleCustomers | undefined> {
  const head = YAML_HEAD.exec(text);
  if (head === null) return undefined;
  const indent = head[1] as string;
  const found = new SimpleCustomers(text, head.index, indent.length);
  const entry = entryOf(indent);
  let at = head.index + head[0].length - indent.length;
  while (at < text.length) {
    entry.lastIndex = at;
    const groups = entry.exec(text);
    if (groups === null) {
      // A line that begins with neither space nor comment ends the customers.
      if (/[^\s#]/.test(text[at] as string)) break;
      at = text.indexOf('\n', at) + 1;
      if (at === 0) break;
      continue;
    }
    const [, name, plain, quoted, plainBelow, quotedBelow] = groups;
    const tier = plain ?? quoted ?? plainBelow ?? quotedBelow;
    found.add(unquoted(name as string), tier as string, at + indent.length, at, entry.lastIndex);
    at = entry.lastIndex;
    if (found.names.length % CUSTOMERS_PER_SLICE === 0) yield;
  }
  return found;
}

function unquoted(name: string): string {
  return /^["']/.test(name) ? name.slice(1, -1) : name;
}

/** One customer, with the comma after it unless it is the last one. */
const JSON_ENTRY = /\s*("[^"\\\n]*")\s*:\s*\{\s*"tier"\s*:\s*"([A-Za-z][\w-]*)"\s*\}\s*(?:,|(?=\}))/y;
const JSON_TOKEN = /\s*(?:("(?:[^"\\\n]|\\.)*")|-?[\d.]+(?:[eE][+-]?\d+)?|true|false|null|([{}[\],:]))/y;

function* takeFromJson(text: string): Generator<void, SimpleCustomers | undefined> {
  const keyOffset = customersInJson(text);
  if (keyOffset === undefined) return undefined;
  const found = new SimpleCustomers(text, keyOffset);
  let at: number | undefined = text.indexOf('{', keyOffset) + 1;
  while (at !== undefined) {
    JSON_ENTRY.lastIndex = at;
    const groups = JSON_ENTRY.exec(text);
    if (groups === null) {
      at = afterEntry(text, at);
      continue;
    }
    const [whole, name, tier] = groups;
    const from: number = at;
    at += whole.length;
    found.add((name as string).slice(1, -1), tier as string, from + whole.indexOf('"'), from, at);
    if (found.names.length % CUSTOMERS_PER_SLICE === 0) yield;
  }
  return found;
}

/** Returns where the word "customers" of the outermost mapping begins; undefined if there is none, or the text is no JSON. */
function customersInJson(text: string): number | undefined {
  let at = text.indexOf('{') + 1;
  for (;;) {
    const start = at + (/^\s*/.exec(text.slice(at, at + 1000))?.[0].length ?? 0);
    if (/^"customers"\s*:\s*\{/.test(text.slice(start, start + 1000))) return start;
    const next = afterEntry(text, at);
    if (next === undefined) return undefined;
    at = next;
  }
}

/** Returns where the next entry of a mapping begins; undefined if there is none, or the text is no JSON. */
function afterEntry(text: string, begin: number): number | undefined {
  JSON_TOKEN.lastIndex = begin;
  for (let depth = 0; ; ) {
    const mark = JSON_TOKEN.exec(text);
    if (mark === null) return undefined;
    const [, , sign] = mark;
    if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    if (depth < 0) return undefined;
    if (sign === ',' && depth === 0) return JSON_TOKEN.lastIndex;
  }
}
