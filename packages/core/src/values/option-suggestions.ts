import { nearest } from './nearest.js';

/**
 * What to write instead of options of other libraries, and of common guesses: the option here that has to exist in this place,
 * their names, and what to say if it is not "use" this option.
 */
export type Instead = readonly [needed: string, theirs: string, suggestion?: string];

/** What is suggested everywhere. A bundle for a browser has nothing of it. */
let everywhere: readonly Instead[] = [];

/** Suggests our options for those of other libraries, in this copy of the package. The entries do it. */
export function suggestEverywhere(rows: readonly Instead[]): void {
  everywhere = rows;
}

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

/** Returns a suggestion if a request or a client was passed in place of options. */
export function suggestionForLiveObject(given: object, known: readonly string[]): string | undefined {
  const { on, call } = given as { on?: unknown; call?: unknown };
  if (typeof on !== 'function' && typeof call !== 'function') return undefined;
  if (known.includes('client')) return 'not a client: pass { client }';
  const isRequest = known.includes('standardHeaders') && 'headers' in given;
  return isRequest ? 'not a request: call the function, app.use(rateLimit({ ... }))' : undefined;
}
