// Packs every package that is not private, and has publint and attw look at what would be published: exports, formats
// and types for ESM and CommonJS. Meanwhile, projects as users have them install the packs and run.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runConsumers } from './consumers/run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const packs = mkdtempSync(join(tmpdir(), 'sluice-packs-'));

const isPublished = (name) => !JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).private;

/** Runs a program of node_modules, and prints what it finds if it fails. */
async function check(program, ...args) {
  try {
    await promisify(execFile)(join(root, 'node_modules', '.bin', program), args, { cwd: root });
    return true;
  } catch (error) {
    console.log(error.stdout ?? '', error.stderr ?? '');
    console.log(`${program} ${args.join(' ')}: FAILED, ${error.message.split('\n')[0]}`);
    return false;
  }
}

/** Returns whether publint and attw find no fault with any of the packs. One at a time: each loads a compiler. */
async function lint(paths) {
  let isFine = true;
  for (const path of paths) {
    if (!(await check('publint', 'run', '--strict', path))) isFine = false;
    // Also as TypeScript resolves without `moduleResolution` in CommonJS projects, which knows no exports map.
    if (!(await check('attw', path))) isFine = false;
  }
  return isFine;
}

try {
  const workspaces = readdirSync(join(root, 'packages'))
    .filter(isPublished)
    .flatMap((name) => ['-w', `packages/${name}`]);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', packs, ...workspaces], {
    cwd: root,
    stdio: 'inherit',
  });
  const paths = readdirSync(packs).map((pack) => join(packs, pack));
  // The consumers wait for the network most of the time.
  const passed = await Promise.all([lint(paths), runConsumers(paths)]);
  if (!passed.every(Boolean)) process.exitCode = 1;
} finally {
  rmSync(packs, { recursive: true });
}
