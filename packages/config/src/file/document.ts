import { type Document, LineCounter, parseDocument } from 'yaml';
import { MistakeList } from './mistake-list.js';
import { offsetOf, plainValue } from './nodes.js';
import { syntaxRule } from './syntax-rules.js';

/** A text that was parsed. */
export interface ReadDocument {
  /** Plain values. Mappings are objects without a prototype. Undefined if the text could not be parsed. */
  readonly value: unknown;
  readonly mistakes: MistakeList;
}

/** Parses text as YAML 1.2, of which JSON is a part. */
export function readDocument(text: string, origin: string): ReadDocument {
  const lines = new LineCounter();
  const positionAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const document = parse(text, lines);
  if (document === undefined) {
    const mistakes = new MistakeList(origin, () => positionAt(0));
    mistakes.addSyntax(positionAt(0), 'the text is nested too deeply: no policy file needs more than ten levels');
    return { value: undefined, mistakes };
  }
  const { contents, errors, warnings } = document;
  const mistakes = new MistakeList(origin, (path, place) => positionAt(offsetOf(contents, path, place)));
  for (const fault of [...errors, ...warnings]) mistakes.addSyntax(positionAt(fault.pos[0]), syntaxRule(fault));
  return { value: errors.length + warnings.length > 0 ? undefined : plainValue(contents, mistakes), mistakes };
}

/** Parses text; undefined if it is nested more deeply than the parser, which calls itself for each level, can follow. */
function parse(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false, logLevel: 'silent' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
