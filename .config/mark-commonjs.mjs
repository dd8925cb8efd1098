// The packages are ES modules; their second build is CommonJS and has to say so beside its files.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';

const packages = new URL('../packages/', import.meta.url);
for (const name of readdirSync(packages)) {
  const build = new URL(`${name}/dist/cjs/`, packages);
  if (existsSync(build)) writeFileSync(new URL('package.json', build), '{ "type": "commonjs" }\n');
}
