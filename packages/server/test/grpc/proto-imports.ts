import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const IMPORT = /^import (?:public )?"([^"]+)";/gm;

/** Returns a `.proto` file and all that it imports, without those that protobuf itself brings. */
export function protoFiles(file: string, folders: readonly string[], found = new Set<string>()): ReadonlySet<string> {
  const path = folders.map((folder) => join(folder, file)).find(existsSync);
  if (path === undefined || file.startsWith('google/protobuf/') || found.has(file)) return found;
  found.add(file);
  for (const [, imported] of readFileSync(path, 'utf8').matchAll(IMPORT))
    protoFiles(imported as string, folders, found);
  return found;
}
