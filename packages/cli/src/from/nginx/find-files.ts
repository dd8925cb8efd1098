import { readdir, readFile } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import type { IncludedFile } from './read-config.js';

/** Returns the files that a path with the wildcards `*`, `?` and `[…]` names, in the order of their names, with their text. */
export async function readMatching(pattern: string): Promise<IncludedFile[]> {
  const { root } = parse(pattern);
  const paths = await matching(root || '.', pattern.slice(root.length).split(sep).filter(Boolean));
  const files = await Promise.all(paths.map(readIfFile));
  return files.filter((file) => file !== undefined);
}

async function matching(folder: string, [first, ...rest]: readonly string[]): Promise<string[]> {
  if (first === undefined) return [folder];
  if (!/[*?[]/.test(first)) return matching(join(folder, first), rest);
  const names = await readdir(folder).catch(() => []);
  const wanted = globOf(first);
  const found = names.filter((name) => wanted.test(name)).sort();
  return (await Promise.all(found.map((name) => matching(join(folder, name), rest)))).flat();
}

/** A wildcard does not match a dot at the beginning, as in a shell. */
function globOf(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const start = pattern.startsWith('.') ? '' : '(?!\\.)';
  try {
    return new RegExp(`^${start}${source}$`);
  } catch {
    // A bracket without its end stands for itself.
    return new RegExp(`^${start}${source.replaceAll(/[[\]]/g, '\\$&')}$`);
  }
}

async function readIfFile(path: string): Promise<IncludedFile | undefined> {
  try {
    return { path, text: await readFile(path, 'utf8') };
  } catch {
    return undefined;
  }
}
