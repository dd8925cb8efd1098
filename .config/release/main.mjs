// Makes a release: npm run release -- --dry-run checks all packages, and shows what would be published. Without the flag it publishes,
// in the workflow of releases alone, where npm trusts it without a token.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { OWNER } from '../publish/manifest.mjs';
import { published, STAGE } from '../publish/published.mjs';
import { obstacles } from './obstacles.mjs';
import { publishAll } from './publish.mjs';
import { notesIn } from './version.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What only the owner can do, as the page says it. */
function stepsOfOwner() {
  const page = readFileSync(join(ROOT, '.config/publish/README.md'), 'utf8');
  return /^## The first release\n\n([\s\S]*?)\n\n## /m.exec(page)[1].replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}

/** Returns the packs, each after those that it depends on. */
function inOrder(manifests) {
  const byName = new Map(manifests.map((manifest) => [manifest.name, manifest]));
  const ordered = new Set();
  const visit = (manifest) => {
    const { dependencies, peerDependencies } = manifest;
    for (const name of Object.keys({ ...dependencies, ...peerDependencies }))
      if (byName.has(name)) visit(byName.get(name));
    ordered.add(manifest);
  };
  for (const manifest of manifests) visit(manifest);
  return [...ordered];
}

const kb = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;

/** Prints what npm would get. */
function show(packs) {
  const rows = packs.map(({ tarball, files, manifest }) => [
    `${manifest.name}@${manifest.version}`,
    `${files.listFiles().length} files`,
    kb(tarball.length),
    Object.keys(manifest.exports ?? {}).join(' ') || 'no entry',
  ]);
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const isDry = values['dry-run'];
const versions = Object.fromEntries(published().map(({ manifest: { name, version } }) => [name, version]));
const against = obstacles({ owner: OWNER, notes: notesIn(ROOT), versions, env: process.env });
if (!isDry && against.length > 0) {
  for (const obstacle of against) console.error(obstacle);
  process.exit(1);
}

// It loads compilers, of which a refusal needs none.
const { checkPackages } = await import('../check-packages.mjs');
const { packs, hasPassed } = await checkPackages();
const manifestOf = (files) => JSON.parse(files.readFile(`/node_modules/${files.packageName}/package.json`));
const byManifest = new Map(packs.map((pack) => [manifestOf(pack.files), pack]));
const ordered = inOrder([...byManifest.keys()]).map((manifest) => ({ manifest, ...byManifest.get(manifest) }));
console.log(`\n${isDry ? 'Would be' : 'Is'} published, in this order:\n`);
show(ordered);
if (!hasPassed) {
  console.error('\nA check has failed: nothing is published.');
  process.exitCode = 1;
} else if (isDry) {
  console.log('\nNothing is published. What is still in the way:\n');
  for (const obstacle of against) console.log(`- ${obstacle}`);
  if (!OWNER.isPublished) console.log(`\nThe first release:\n\n${stepsOfOwner()}`);
} else {
  const folderOf = (name) => join(STAGE, name.replace('@sluice/', ''));
  publishAll(ordered.map(({ manifest: { name, version } }) => ({ name, version, folder: folderOf(name) })));
}
