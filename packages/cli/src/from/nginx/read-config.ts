import { isAbsolute, join } from 'node:path';
import type { Note } from '../conversion.js';
import { type Directive, NginxSyntaxError, parseNginx } from './parse.js';

/** One file that an `include` names. */
export interface IncludedFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the files of an `include`, which may have the wildcards of a shell.
 *
 * @param pattern - an absolute path, or one relative to the folder of the main file
 */
export type ReadIncluded = (pattern: string) => Promise<readonly IncludedFile[]>;

/** A configuration whose includes are in place. */
export interface NginxConfig {
  readonly directives: readonly Directive[];
  readonly notes: readonly Note[];
}

/** Files in files. nginx stops at some depth, too, since a file could include itself. */
const DEEPEST = 10;

/** Files that include several others could be read again and again. */
const MOST_FILES = 1000;

/** Includes that never hold a limit, and that are often missing where a file is looked at. */
const WITHOUT_LIMITS =
  /(?:^|\/)(?:mime\.types|(?:fastcgi|uwsgi|scgi)_params|fastcgi\.conf|proxy_params|modules-enabled\/.*)$/;

/**
 * Reads a configuration and all files that it includes.
 *
 * @throws NginxSyntaxError with the place
 */
export async function readNginx(text: string, origin: string, read: ReadIncluded): Promise<NginxConfig> {
  const notes: Note[] = [];
  let count = 0;
  const directives = await included(parseNginx(text, origin), 0);
  return { directives, notes };

  async function included(directives: readonly Directive[], depth: number): Promise<Directive[]> {
    const found: Directive[] = [];
    for (const directive of directives) {
      if (directive.name === 'include') found.push(...(await filesOf(directive, depth)));
      else if (directive.block) found.push({ ...directive, block: await included(directive.block, depth) });
      else found.push(directive);
    }
    return found;
  }

  async function filesOf({ args: [pattern = ''], place }: Directive, depth: number): Promise<Directive[]> {
    if (depth === DEEPEST) throw new NginxSyntaxError(`${place} more than ${DEEPEST} files include each other`);
    if (WITHOUT_LIMITS.test(pattern)) return [];
    const files = await read(pattern);
    count += files.length;
    if (count > MOST_FILES) throw new NginxSyntaxError(`${place} more than ${MOST_FILES} files are included`);
    // A pattern that finds nothing is fine for nginx, too.
    if (files.length === 0 && !/[*?[]/.test(pattern))
      notes.push({ kind: 'left out', text: `include ${pattern}; (${place}): there is no such file here` });
    const parsed = await Promise.all(files.map(({ path, text }) => included(parseNginx(text, path), depth + 1)));
    return parsed.flat();
  }
}

/** Returns the path that nginx means by the path of an `include`. */
export function includedPath(pattern: string, folder: string): string {
  return isAbsolute(pattern) ? pattern : join(folder, pattern);
}
