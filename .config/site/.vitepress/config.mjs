import { fileURLToPath } from 'node:url';
import { codeGroups } from '../code-groups.mjs';
import {
  ADDRESSES,
  apiAddressOf,
  apiEntries,
  LAID_OUT,
  layOut,
  layOutAll,
  PAGE_OF_BUILT,
  titleOf,
} from '../collect.mjs';
import { collectMistakes, linkRule } from '../links.mjs';
import { GROUPS, PAGES } from '../pages.mjs';
import { ALIASES, CONDITIONS } from '../playground/browser/aliases.mjs';
import { BASE, BUILT, OWNER, ROOT } from '../repository.mjs';
import { scrolledPictures } from '../scrolled-pictures.mjs';

layOutAll();

const { onMistake, buildEnd } = collectMistakes();

/** The ids that GitHub gives headings: pages link to them. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** A page of the bar at the top. */
const nav = [
  { text: 'Playground', link: '/playground' },
  { text: 'Options', link: '/options' },
  { text: 'Algorithms', link: '/algorithms' },
  { text: 'Errors', link: '/errors/' },
  { text: 'Reference', link: '/api/', activeMatch: '^/api/' },
];

/** CI looks at no colours, and a third of what a build takes is for those of code. */
const isQuick = process.env.SLUICE_SITE === 'quick';

/** As VitePress writes code, which can be scrolled with a keyboard. */
const withoutColours = (html) => `<pre tabindex="0" v-pre><code>${html}</code></pre>`;

/** The pages that a search shows below all others. */
const LAST = PAGES.filter(({ group }) => group.isLast).map(({ address }) => BASE + address.slice(1));

/** A search reads no colours, and most of the time that a page takes is for the colours of its code. */
function renderWithoutColours(md, source, env) {
  const { highlight } = md.options;
  md.options.highlight = null;
  try {
    return md.render(source, env);
  } finally {
    md.options.highlight = highlight;
  }
}

const search = {
  miniSearch: {
    // It becomes text in the page that is built, and can refer to nothing.
    searchOptions: {
      boostDocument: new Function('id', `return ${JSON.stringify(LAST)}.includes(id.split('#')[0]) ? 0.1 : 1`),
    },
  },
  /** Each code has a page of its own, so that a search finds that one and not the page of all of them. */
  _render(source, env, md) {
    const { address, group } = PAGE_OF_BUILT.get(env.relativePath) ?? {};
    const isFound = !group?.isUnsearched && address !== '/errors/';
    return isFound ? renderWithoutColours(md, source, env) : '';
  },
};

const sidebar = GROUPS.map((group) => ({
  text: group.title,
  collapsed: !group.isOpen,
  items: PAGES.filter((page) => page.group === group).map(({ file, address }) => ({
    text: titleOf(file).replace(/: .*/, ''),
    link: address,
  })),
}));

const reference = [
  { text: 'Every export', items: apiEntries().map((entry) => ({ text: entry, link: apiAddressOf(entry) })) },
];

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
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}logo.svg` }]],
  description: 'Rate limiting for Node.js that never admits more than the limit you state',
  lang: 'en',
  base: BASE,
  srcDir: LAID_OUT,
  outDir: BUILT,
  cacheDir: fileURLToPath(new URL('../node_modules/.vitepress', import.meta.url)),
  cleanUrls: true,
  metaChunk: true,
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify },
    // The usual colours of code have too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      if (isQuick) md.options.highlight = (code) => withoutColours(md.utils.escapeHtml(code));
      codeGroups(md);
      scrolledPictures(md);
      linkRule(md, { pageOf: (path) => PAGE_OF_BUILT.get(path), addresses: ADDRESSES, onMistake });
    },
  },
  transformPageData({ relativePath }) {
    // The first page has no columns beside it.
    if (relativePath === 'index.md') return { frontmatter: { sidebar: false, aside: false, pageClass: 'home' } };
    if (relativePath.startsWith('errors/')) return { frontmatter: { pageClass: 'code-of-error' } };
  },
  buildEnd,
  themeConfig: {
    sidebar: { '/': sidebar, '/api/': reference },
    outline: { level: [2, 3] },
    search: { provider: 'local', options: search },
    ...(OWNER.repository && { socialLinks: [{ icon: 'github', link: OWNER.repository }] }),
    nav,
    logo: '/logo.svg',
    externalLinkIcon: true,
  },
  vite: {
    plugins: [followFiles],
    // Pages are laid out elsewhere: a script of a page finds what belongs to it by this name.
    resolve: {
      alias: { '@site': fileURLToPath(new URL('..', import.meta.url)).slice(0, -1), ...ALIASES },
      conditions: CONDITIONS,
    },
    server: { fs: { allow: [ROOT] } },
  },
};
