import { fileURLToPath } from 'node:url';
import { ADDRESSES, LAID_OUT, layOut, layOutAll, PAGE_OF_BUILT, titleOf } from '../collect.mjs';
import { linkRule } from '../links.mjs';
import { GROUPS, PAGES } from '../pages.mjs';
import { OWNER, ROOT } from '../repository.mjs';

layOutAll();

/** What the link rule has found. VitePress renders pages in any order, so that all mistakes are told at the end. */
const mistakes = new Set();

/** The ids that GitHub gives headings: pages link to them. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

const sidebar = GROUPS.map((group) => ({
  text: group.title,
  collapsed: group.isLast || group.isUnsearched,
  items: PAGES.filter((page) => page.group === group).map(({ file, address }) => ({
    text: titleOf(file),
    link: address,
  })),
}));

/** Lays a page out again when its file changes, so that a browser shows it at once. */
const followFiles = {
  name: 'sluice-follow-files',
  configureServer({ watcher }) {
    const pages = new Map(PAGES.map((page) => [ROOT + page.file, page]));
    watcher.add([...pages.keys()]);
    watcher.on('change', (path) => pages.has(path) && layOut(pages.get(path)));
  },
};

export default {
  title: 'Sluice',
  description: 'Rate limiting for Node.js that never admits more than the limit you state',
  lang: 'en',
  base: OWNER.site ? new URL(OWNER.site).pathname.replace(/\/?$/, '/') : '/',
  srcDir: LAID_OUT,
  outDir: fileURLToPath(new URL('../dist/site', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../node_modules/.vitepress', import.meta.url)),
  cleanUrls: true,
  metaChunk: true,
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify },
    config: (md) =>
      linkRule(md, {
        pageOf: (path) => PAGE_OF_BUILT.get(path),
        addresses: ADDRESSES,
        onMistake: (mistake) => mistakes.add(mistake),
      }),
  },
  buildEnd() {
    if (mistakes.size > 0) throw new Error([...mistakes].sort().join('\n'));
  },
  themeConfig: {
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
  vite: {
    plugins: [followFiles],
    // Pages are laid out elsewhere: a script of a page finds what belongs to it by this name.
    resolve: { alias: { '@site': fileURLToPath(new URL('..', import.meta.url)).slice(0, -1) } },
    server: { fs: { allow: [ROOT] } },
  },
};
