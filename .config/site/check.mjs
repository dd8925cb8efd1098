// Checks the HTML of a built site: that every link, anchor and picture leads to something, that every picture has a text, that every anchor
// is one place, that nothing is fetched from elsewhere, and that every page and every code of an error has its address.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagesOfBuilt } from './built-pages.mjs';
import { apiAddressOf, apiEntries, codesOf } from './collect.mjs';
import { PAGES } from './pages.mjs';
import { BASE, BUILT } from './repository.mjs';

/** What the HTML of a page has of each kind. A browser would find more; what VitePress writes has this form. */
const KINDS = {
  ids: /\sid="([^"]+)"/g,
  links: /<a\s[^>]*?\bhref="([^"]*)"/g,
  loaded: /<(?:img|script|source|iframe)\s[^>]*?\b(?:src|srcset)="([^"]*)"/g,
  linked: /<link\s[^>]*?\bhref="([^"]*)"/g,
  headings: /<h1[\s>]/g,
  undescribed: /<img\s(?![^>]*\balt[\s=>])[^>]*?\bsrc="([^"]*)"/g,
};

const textOf = (attribute) =>
  attribute
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');

function readPage({ file, path }, built) {
  const html = readFileSync(`${built}/${file}`, 'utf8');
  const found = Object.entries(KINDS).map(([kind, pattern]) => [
    kind,
    [...html.matchAll(pattern)].map(([, value]) => value && textOf(value)),
  ]);
  return { path, ...Object.fromEntries(found) };
}

/** What a page links to, and what it loads, from this site alone. */
function mistakesOfPage({ path, ids, links, loaded, linked, headings, undescribed }, { built, base, idsOf }) {
  const at = (target) => new URL(target, `http://site${path}`);
  const isFile = (pathname) =>
    pathname.startsWith(base) && !pathname.endsWith('/') && existsSync(join(built, pathname.slice(base.length)));
  const dead = links.filter((link) => {
    const { host, pathname, hash } = at(link);
    if (host !== 'site') return false;
    const ids = idsOf.get(pathname);
    return ids ? hash !== '' && !ids.has(decodeURIComponent(hash.slice(1))) : !isFile(pathname);
  });
  const foreign = [...loaded, ...linked].filter((target) => {
    const { host, protocol, pathname } = at(target);
    return protocol !== 'data:' && (host !== 'site' || !isFile(pathname));
  });
  return [
    ...new Set(dead.map((link) => `links to ${link}, which is not there`)),
    ...new Set(foreign.map((target) => `loads ${target}, which is not of this site`)),
    ...undescribed.map((target) => `shows ${target} without a text for those who do not see it`),
    ...[...new Set(ids)]
      .filter((id) => ids.indexOf(id) !== ids.lastIndexOf(id))
      .map((id) => `has several places ${id}`),
    ...(headings.length === 1 ? [] : [`has ${headings.length} first headings`]),
  ].map((mistake) => `${path} ${mistake}`);
}

/**
 * Returns all mistakes of a built site.
 *
 * @param built - The folder of the site.
 * @param base - Where the site begins below its host.
 * @param wanted - The addresses that it has to have.
 */
export function mistakesOfBuilt(built, base, wanted) {
  const pages = pagesOfBuilt(built, base).map((page) => readPage(page, built));
  const idsOf = new Map(pages.map(({ path, ids }) => [path, new Set(ids)]));
  return [
    ...wanted.filter((address) => !idsOf.has(base + address.slice(1))).map((address) => `${address} is not there`),
    ...pages.flatMap((page) => mistakesOfPage(page, { built, base, idsOf })),
  ];
}

/** The addresses of all pages, of all codes of an error, and of all entries of the reference. */
const wantedAddresses = () => [
  ...PAGES.map(({ address }) => address),
  ...codesOf().map(({ code }) => `/errors/${code}`),
  ...apiEntries().map(apiAddressOf),
];

if (process.argv[1] === import.meta.filename) {
  const mistakes = mistakesOfBuilt(BUILT, BASE, wantedAddresses());
  for (const mistake of mistakes) console.error(mistake);
  process.exitCode = mistakes.length === 0 ? 0 : 1;
}
