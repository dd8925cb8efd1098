import { type Document, isMap, isScalar, type Pair, parseDocument } from 'yaml';
import { MistakeList, type Place } from './mistake-list.js';
import { isNestedTooDeeply } from './nesting.js';
import { offsetOf, plainValue } from './nodes.js';
import type { Path } from './path.js';
import { positionsIn } from './positions.js';
import { type SimpleCustomers, takeSimpleCustomers } from './simple-customers.js';
import { syntaxRule } from './syntax-rules.js';

/** A text that was parsed. */
interface ReadDocument {
  /** Plain values. Mappings are objects without a prototype. Undefined if the text could not be parsed. */
  readonly value: unknown;
  /** Customers that are not in the value; undefined if there are none. */
  readonly simple: SimpleCustomers | undefined;
  readonly mistakes: MistakeList;
}

/** The size of a file that is refused without being looked at. It is room for 100,000 customers, named by their hashes. */
const TOO_MANY_CHARACTERS = 10_000_000;

/** The parser takes a second and more for a larger text. Simple customers do not count. */
const MOST_PARSED = 1_000_000;

/** What is wrong with a text that asks for the older YAML: its numbers would be read as others, without a word. */
const OLD_VERSION = 'the text must be YAML 1.2, because 010 is 8 and 1:30 is 90 in YAML 1.1: remove the line %YAML';

/** Parses text as YAML 1.2, of which JSON is a part. It yields after each slice of many customers. */
export function* readDocument(given: string, origin: string): Generator<void, ReadDocument> {
  const text = given.startsWith('\uFEFF') ? given.slice(1) : given;
  if (text.length >= TOO_MANY_CHARACTERS) {
    return refused(origin, `the text must have less than 10,000,000 characters, and has ${text.length}`);
  }
  const simple = yield* takeSimpleCustomers(text);
  // The word customers of another place, or customers in another column: the parser says what they are.
  return (simple && parsed(text, origin, simple)) ?? (parsed(text, origin, undefined) as ReadDocument);
}

/** Returns undefined if the customers that were taken out did not belong to the document. */
function parsed(text: string, origin: string, simple: SimpleCustomers | undefined): ReadDocument | undefined {
  const rest = simple?.rest ?? text;
  if (rest.length > MOST_PARSED) {
    const what = 'the text must have at most 1,000,000 characters apart from customers who have only a tier';
    return refused(origin, `${what}, and has ${rest.length}`);
  }
  const document = isNestedTooDeeply(rest) ? undefined : parse(rest);
  if (document === undefined) {
    return refused(origin, 'the text is nested too deeply: no policy file needs more than ten levels');
  }
  const { contents, directives, errors, warnings } = document;
  const faults = [...errors, ...warnings];
  if (simple !== undefined) {
    // A fault can end later, or have consequences, where lines are missing. In a large text it is still near enough.
    const isExact = faults.length === 0 ? belongs(document, simple) : text.length > MOST_PARSED;
    if (!isExact) return undefined;
  }
  const positionAt = positionsIn(text);
  const find = (path: Path, place: Place) => offsetOf(contents, path, place);
  const mistakes = new MistakeList(origin, (path, place) =>
    positionAt(simple === undefined ? find(path, place) : simple.offsetOf(path, place, find)),
  );
  for (const fault of faults) {
    mistakes.addSyntax(positionAt(simple?.offsetInText(fault.pos[0]) ?? fault.pos[0]), syntaxRule(fault));
  }
  const isOld = directives.yaml.version === '1.1';
  if (isOld) mistakes.addSyntax(positionAt(text.search(/^%YAML/m)), OLD_VERSION);
  const value = faults.length > 0 || isOld ? undefined : plainValue(contents, mistakes);
  return { value: simple === undefined ? value : withoutNull(value), simple, mistakes };
}

function refused(origin: string, rule: string): ReadDocument {
  const begin = { line: 1, column: 1 };
  const mistakes = new MistakeList(origin, () => begin);
  mistakes.addSyntax(begin, rule);
  return { value: undefined, simple: undefined, mistakes };
}

/** Parses text; undefined if it is nested more deeply than the parser, which calls itself for each level, can follow. */
function parse(text: string): Document.Parsed | undefined {
  try {
    return parseDocument(text, { prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether the customers that were taken out belong to the word of the whole document, and stand in one column with the others. */
function belongs({ contents }: Document.Parsed, { keyOffset, indent, rest }: SimpleCustomers): boolean {
  if (!isMap(contents)) return false;
  const pair = (contents.items as Pair[]).find(({ key }) => isScalar(key) && key.range?.[0] === keyOffset);
  if (pair === undefined) return false;
  const { value } = pair;
  if (indent === undefined) return isMap(value) && value.flow === true;
  if (isScalar(value)) return value.value === null && value.source === '';
  const first = isMap(value) && value.flow !== true ? (value.items[0] as Pair | undefined)?.key : undefined;
  const offset = isScalar(first) ? first.range?.[0] : undefined;
  return offset !== undefined && offset - rest.lastIndexOf('\n', offset) - 1 === indent;
}

/** If all customers were taken out, nothing is left after the word. */
function withoutNull(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('customers' in value) || value.customers !== null) return value;
  const { customers: _, ...others } = value;
  return others;
}
