import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

const LIST = JSON.parse(readFileSync('brought.json', 'utf8'));

/** Returns the names of packages in a folder, also those that other packages have for themselves. */
function packagesIn(folder) {
  const path = join(folder, 'node_modules');
  if (!existsSync(path)) return [];
  const names = readdirSync(path)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(path, name)).map((own) => `${name}/${own}`) : [name]));
  return names.flatMap((name) => [name, ...packagesIn(join(path, name))]);
}

const dependenciesOf = (name) =>
  Object.keys(JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')).dependencies ?? {});

/** Returns all that a framework brings: users have it already. */
function broughtBy(framework) {
  const names = new Set(dependenciesOf(framework));
  for (const name of names) {
    if (existsSync(join('node_modules', name))) for (const own of dependenciesOf(name)) names.add(own);
  }
  return names;
}

test('With the packages of Express and Redis comes what is listed, and nothing else', () => {
  const known = broughtBy('express');
  const brought = new Set(packagesIn('.').filter((name) => !known.has(name)));
  assert.deepEqual([...brought].sort(), LIST);
});
