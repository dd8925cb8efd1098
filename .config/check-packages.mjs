// Packs every package that is not private, and has publint and attw look at what would be published: exports, formats
// and types for ESM and CommonJS. Then projects as users have them install the packs and run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runConsumers } from './consumers/run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (command, ...args) => execFileSync(command, args, { cwd: root, stdio: 'inherit' });
const packs = mkdtempSync(join(tmpdir(), 'sluice-packs-'));
try {
  for (const name of readdirSync(join(root, 'packages'))) {
    if (JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).private) continue;
    run('npm', 'pack', '--silent', '--pack-destination', packs, '-w', `packages/${name}`);
  }
  const paths = readdirSync(packs).map((pack) => join(packs, pack));
  for (const path of paths) {
    run('npx', 'publint', 'run', '--strict', path);
    // Also as TypeScript resolves without `moduleResolution` in CommonJS projects, which knows no exports map.
    run('npx', 'attw', path);
  }
  if (!(await runConsumers(paths))) process.exitCode = 1;
} finally {
  rmSync(packs, { recursive: true });
}
