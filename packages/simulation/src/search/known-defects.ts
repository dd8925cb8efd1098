import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallStep, StoreSetup, Tape } from '../tape/tape.js';
import { SHAPE_PARTS, type Shape, shapeOf } from './shape.js';

/** A defect of the library that somebody has found and nobody has mended. It stands in a file of the folder `known-defects`. */
export interface KnownDefect {
  readonly name: string;
  /** In a sentence or two, for readers who do not know the simulator. */
  readonly what: string;
  readonly invariant: string;
  /** Other invariants that it breaks, too, on other tapes. */
  readonly alsoBreaks?: readonly string[];
  /** How the tape goes, in words. */
  readonly story?: string;
  /** A tape that shows it. Once it passes, the defect is mended, and the tape belongs to `failed-tapes`. */
  readonly tape: Tape;
  /** What campaigns leave out of most tapes, because it meets the defect so often that nothing else would be found. */
  readonly avoid?: Avoidance;
  /** Which failures are this defect. Absent: those whose tape has exactly the shape of this one's. */
  readonly matches?: ShapeRule;
}

export interface Avoidance {
  /** Calls that are left out. */
  readonly calls?: readonly CallStep['call'][];
  /** Whether calls get no ids, so that none is repeated. */
  readonly ids?: true;
  /** Only of tapes with one of these stores. Absent: of all. */
  readonly stores?: readonly StoreSetup['kind'][];
}

/** A rule for each part of a shape. Absent: the part has to be that of the defect's own tape. */
type ShapeRule = { readonly [part in keyof Shape]?: PartRule };

interface PartRule {
  /** All of them have to occur. */
  readonly needs?: readonly string[];
  /** These may occur, too, and nothing else. `'*'` allows everything. */
  readonly allows?: readonly string[];
}

/** A defect that is mended. Its tape failed once. */
type FailedTape = KnownDefect;

const PACKAGE = join('packages', 'simulation');

/** The folders of the package, from the folder of a built or a source file of `search`. */
export const KNOWN_DEFECTS = join(import.meta.dirname, '../../known-defects');
export const FAILED_TAPES = join(import.meta.dirname, '../../failed-tapes');

/** Returns the defects that the code of a checkout may have: those that nobody has mended, and those that were mended after it. */
export function defectsOf(checkout: string): readonly KnownDefect[] {
  const mendedThere = namesIn(join(checkout, PACKAGE, 'failed-tapes'));
  const mendedSince = readFailedTapes(FAILED_TAPES).filter(({ name }) => !mendedThere.has(name));
  return [...readKnownDefects(KNOWN_DEFECTS), ...mendedSince];
}

/** Reads the list of known defects, in the order of the names of their files. */
export function readKnownDefects(folder: string): readonly KnownDefect[] {
  return readEntries(folder);
}

export function readFailedTapes(folder: string): readonly FailedTape[] {
  return readEntries(folder);
}

function readEntries(folder: string): readonly KnownDefect[] {
  return [...namesIn(folder)].map((name) => {
    const file = `${name}${ENTRY}`;
    return checkedEntry(JSON.parse(readFileSync(join(folder, file), 'utf8')), file);
  });
}

const ENTRY = '.json';

/** Returns the names of the entries of a folder, in their order. */
function namesIn(folder: string): ReadonlySet<string> {
  if (!existsSync(folder)) return new Set();
  const files = readdirSync(folder).filter((file) => file.endsWith(ENTRY));
  return new Set(files.map((file) => file.slice(0, -ENTRY.length)).sort());
}

function checkedEntry(entry: KnownDefect, file: string): KnownDefect {
  for (const name of ['name', 'what', 'invariant', 'tape'] as const) {
    if (entry[name] === undefined) throw new Error(`${file} has no ${name}`);
  }
  if (`${entry.name}.json` !== file) throw new Error(`${file} has the name of another file: ${entry.name}`);
  return entry;
}

/**
 * Returns the known defect that a failure shows; undefined if it is a new one. That it breaks the same invariant is not enough: the
 * tape, from which everything needless was left out, must need what the known defect needs, and nothing else.
 *
 * @param tape - the tape of the failure, after it was shrunk
 */
export function knownDefectOf(invariant: string, tape: Tape, defects: readonly KnownDefect[]): KnownDefect | undefined {
  const shape = shapeOf(tape);
  return defects.find(
    (defect) => [defect.invariant, ...(defect.alsoBreaks ?? [])].includes(invariant) && isOfShape(shape, defect),
  );
}

function isOfShape(shape: Shape, { tape, matches = {} }: KnownDefect): boolean {
  const own = shapeOf(tape);
  return SHAPE_PARTS.every((part) => {
    const { needs = [], allows = [] } = matches[part] ?? { needs: own[part] };
    const found = shape[part];
    const isAllowed = (name: string): boolean => needs.includes(name) || allows.includes(name) || allows.includes('*');
    return needs.every((name) => found.includes(name)) && found.every(isAllowed);
  });
}
