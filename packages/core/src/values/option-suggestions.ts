import { nearest } from './nearest.js';

/**
 * What to write instead of options of other libraries, and of common guesses: the option here that has to exist in this place,
 * their names, and what to say if it is not "use" this option.
 */
export type Instead = readonly [needed: string, theirs: string, suggestion?: string];

/** Returns what to say of an object that was passed in place of options, given the known ones; undefined if it may be options. */
type LiveObjectSuggestion = (given: object, known: readonly string[]) => string | undefined;

/** What is suggested everywhere. A bundle for a browser has nothing of it. */
let everywhere: readonly Instead[] = [];
let ofLiveObject: LiveObjectSuggestion = () => undefined;

/** Suggests our options for those of other libraries, and a call for what it returns, in this copy of the package. The entries do it. */
export function suggestEverywhere(rows: readonly Instead[], forLiveObject: LiveObjectSuggestion): void {
  everywhere = rows;
  ofLiveObject = forLiveObject;
}

/** Returns what to say of an object in place of options, such as a request. */
export const suggestionOfLiveObject: LiveObjectSuggestion = (given, known) => ofLiveObject(given, known);

/** Longer lists are not read: the page that explains the options is named instead. */
const LONGEST_LIST = 12;

/** Where options stand. */
export interface OptionPlace {
  /** The page of the documentation that explains them. Default: the one of the core. */
  readonly page?: string;
  /** What to write there instead of options of other libraries, before what holds everywhere. */
  readonly instead?: readonly Instead[];
}

/** Returns what to write instead of an unknown option, given the known ones. */
export function suggestionFor(
  option: string,
  known: readonly string[],
  { page = 'options.md of @sluice/core', instead = [] }: OptionPlace = {},
): string {
  for (const [needed, theirs, suggestion = `use ${needed}`] of [...instead, ...everywhere]) {
    if (known.includes(needed) && theirs.split(' ').includes(option)) return suggestion;
  }
  const near = nearest(option, known);
  if (near !== undefined) return `use ${near}`;
  return known.length > LONGEST_LIST ? `the page ${page} lists the options` : `the options are ${known.join(', ')}`;
}
