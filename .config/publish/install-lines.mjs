// Until the names are ours on npm, pages show how to install packs of this repository. This changes them to install by name. The owner
// runs it once, before the first release: node .config/publish/install-lines.mjs
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { published, ROOT } from './published.mjs';

/** What a page says of packs, and the commands below it. */
const BY_PACK = /(^| )The packages are not on npm yet[^\n]*:\n\n```sh\n([\s\S]*?)^```$/gm;

/** Whatever comes before the folder of the app is done in this repository. */
const PACKING = /^[\s\S]*npm pack (?:--pack-destination \S+ )?(.*)\n\s*(?:cd \/path\/to\/your\/app && )?/;

/** Returns the packages to install, without those that others of them bring along. */
function namesOf(packs) {
  const folders = packs.split(' ').map((path) => path.replace('./dist/', ''));
  const units = published().filter(({ name }) => folders.includes(name));
  const brought = new Set(units.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {})));
  const named = units.filter(({ manifest }) => !brought.has(manifest.name));
  return named.map(({ manifest }) => manifest.name).join(' ');
}

/**
 * Returns a page that installs packages by their names in place of packs.
 *
 * @param {string} page
 */
export const installedByName = (page) =>
  page.replaceAll(BY_PACK, (_, before, commands) => {
    const [, packs] = PACKING.exec(commands);
    return `${before && '\n\n'}\`\`\`sh\n${commands.replace(PACKING, '').replace(/\S*sluice-\*\.tgz/, namesOf(packs))}\`\`\``;
  });

/** Returns each page of this repository with its text, as it installs by name. */
export function pagesByName() {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  return pages.map((page) => [page, installedByName(readFileSync(join(ROOT, page), 'utf8'))]);
}

if (process.argv[1] === import.meta.filename) {
  for (const [page, text] of pagesByName()) {
    const path = join(ROOT, page);
    if (text === readFileSync(path, 'utf8')) continue;
    writeFileSync(path, text);
    console.log(page);
  }
}
