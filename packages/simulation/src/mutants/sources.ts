import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { luaChanges } from './lua/lua-changes.js';
import { type Mutant, mutantsOf } from './mutant.js';
import { typescriptChanges } from './typescript/typescript-changes.js';

/** The folders whose code is changed. */
const FOLDERS: readonly string[] = [
  'packages/core/src/algorithms',
  'packages/core/src/stores',
  'packages/core/src/limiter',
  'packages/remote/src',
  'packages/distributed/src',
  'packages/redis/src',
  'packages/redis/lua',
  'packages/postgres/src',
];

/** Made of other files, which are changed instead. */
const GENERATED = 'packages/redis/src/generated/';

/** What the scripts of Redis are made of: Lua, the program that makes them, and the arithmetic that it writes into them. */
const OF_SCRIPTS: readonly string[] = ['packages/redis/lua/', 'packages/core/src/algorithms/arithmetic/'];

/** The root of the checkout that the current folder belongs to. */
export function checkoutRoot(from: string = process.cwd()): string {
  if (existsSync(join(from, 'packages/simulation/package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error(`This command has to run in a checkout of Sluice, not in ${process.cwd()}`);
  return checkoutRoot(parent);
}

/** The files whose code is changed, as paths from the root with slashes, sorted. */
export function sourceFiles(root: string): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => /\.(ts|cjs|lua)$/.test(file) && !file.startsWith(GENERATED)),
  ).toSorted();
}

export const isLua = (file: string): boolean => file.endsWith('.lua');

export const isOfScripts = (file: string): boolean => OF_SCRIPTS.some((folder) => file.startsWith(folder));

/** All mutants that a file can have. */
export function mutantsOfFile(root: string, file: string): Mutant[] {
  const text = readFileSync(join(root, file), 'utf8');
  return mutantsOf(file, text, isLua(file) ? luaChanges(text) : typescriptChanges(text));
}
