// The repository as the site sees it: its files, and the address at which others see them.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, with a slash at the end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the owner sets once: the address of the repository and of the site. */
export const OWNER = JSON.parse(readFileSync(`${ROOT}.config/publish/owner.json`, 'utf8'));

/** The address of a file or folder of the repository; empty until the owner has set the address of the repository. */
export const sourceAddress = (path, kind) => OWNER.repository && `${OWNER.repository}/${kind}/main/${path}`;

/** npm shows the changelog of a package beside the package. */
const CHANGELOG = /(?:^|\/)CHANGELOG\.md$/;

/** All Markdown files of the repository but the changelogs. */
export function markdownFiles() {
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const below = ['.config', '.github', 'examples', 'packages'].flatMap((folder) =>
    readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md') && !/(?:^|\/)(?:node_modules|dist)\//.test(path))
      .map((path) => `${folder}/${path}`),
  );
  return [...top, ...below].filter((path) => !CHANGELOG.test(path)).sort();
}

/** Where the site begins below its host. */
export const BASE = OWNER.site ? new URL(OWNER.site).pathname.replace(/\/?$/, '/') : '/';

/** Where the site is built. */
export const BUILT = fileURLToPath(new URL('dist/site', import.meta.url));
