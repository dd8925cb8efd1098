import { show } from '@sluice/core/values';
import { type BaseIssue, type IssuePathItem, safeParse } from 'valibot';
import type { MistakeList } from './mistake-list.js';
import type { Path } from './path.js';
import { type FileInput, policyFile } from './schema.js';
import { unknownWord } from './words.js';

/** What is left of a type without the values that break its rules. */
export type Sound<T> = T extends readonly (infer E)[]
  ? readonly (Sound<E> | undefined)[]
  : T extends object
    ? { readonly [K in keyof T]?: Sound<T[K]> | undefined }
    : T;

/** Checks the structure of a document, and returns what is left of it without the values that break its rules. */
export function soundParts(value: unknown, mistakes: MistakeList): Sound<FileInput> {
  checkWords(policyFile, value, [], mistakes);
  const { issues = [] } = safeParse(policyFile, value);
  for (const issue of issues.flatMap((one) => deepest(one, []))) {
    const path = pathOfItems(issue.path);
    if (isAboutWords(issue)) continue;
    if (isMissing(issue)) mistakes.add(path, 'is missing', { at: 'missing' });
    else mistakes.addValue(path, issue.message, issue.input, { at: issue.path?.at(-1)?.origin ?? 'value' });
  }
  return ((mistakes.isDamaged([]) ? soundPart(value, [], mistakes) : value) ?? {}) as Sound<FileInput>;
}

/** Returns a copy without the values that have a mistake. */
function soundPart(value: unknown, path: Path, mistakes: MistakeList): unknown {
  if (mistakes.has(path)) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one, i) => soundPart(one, [...path, i], mistakes));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, soundPart(one, [...path, name], mistakes)]),
  );
}

type Issue = BaseIssue<unknown>;
type Items = readonly IssuePathItem[];

/** Of the forms that a value can have, the one that got furthest says what is wrong. */
function deepest(issue: Issue, outer: Items): readonly Issue[] {
  const path = [...outer, ...(issue.path ?? [])];
  const inner = (issue.issues ?? []).filter((one) => one.path !== undefined && !isOfList(one.path));
  if (inner.length > 0) return inner.flatMap((one) => deepest(one, path));
  const [first, ...others] = path;
  return [{ ...issue, path: first && [first, ...others] }];
}

/** A list is an object, too, so it is searched for the words of a mapping. */
function isOfList(items: Items): boolean {
  return items.some(({ type, input }) => type === 'object' && Array.isArray(input));
}

function isAboutWords({ expected, path }: Issue): boolean {
  return expected === 'never' || isOfList(path ?? []);
}

function isMissing({ type, path }: Issue): boolean {
  return type === 'strict_object' && path?.at(-1)?.origin === 'key';
}

function pathOfItems(items: Items = []): Path {
  return items.map(({ key }) => key as string | number);
}

/** What of a schema says which words it knows. */
interface Shape {
  readonly type: string;
  readonly message?: unknown;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly value?: unknown;
  readonly item?: unknown;
  readonly wrapped?: unknown;
  readonly options?: readonly unknown[];
}

/** Finds all unknown words. The schema alone would find one in each mapping. */
function checkWords(schema: unknown, value: unknown, path: Path, mistakes: MistakeList): void {
  const { type, message, entries = {}, value: each, item, wrapped, options = [] } = schema as Shape;
  if (typeof value !== 'object' || value === null) return;
  if (type === 'optional') checkWords(wrapped, value, path, mistakes);
  else if (type === 'union') checkWords(formOf(options, value), value, path, mistakes);
  else if (type === 'array' && Array.isArray(value)) {
    value.forEach((one, i) => {
      checkWords(item, one, [...path, i], mistakes);
    });
  } else if (Array.isArray(value)) {
    if (type === 'strict_object' || type === 'record') mistakes.addValue(path, String(message), value);
  } else if (type === 'record') {
    for (const [name, one] of Object.entries(value)) checkWords(each, one, [...path, name], mistakes);
  } else if (type === 'strict_object') {
    for (const [word, one] of Object.entries(value)) {
      const known = Object.hasOwn(entries, word);
      if (known) checkWords(entries[word], one, [...path, word], mistakes);
      else reportWord(word, one, Object.keys(entries), path, mistakes);
    }
  }
}

/** Returns the form of a union that a mapping or a list has. */
function formOf(options: readonly unknown[], value: object): unknown {
  const types = Array.isArray(value) ? ['array'] : ['strict_object', 'record'];
  return options.find((option) => types.includes((option as Shape).type)) ?? { type: 'none' };
}

function reportWord(word: string, value: unknown, known: readonly string[], path: Path, mistakes: MistakeList): void {
  const { rule, code } = unknownWord(word, known);
  mistakes.add([...path, word], `${rule}, got ${show(value)}`, { at: 'key', code });
}
