// Checks the site as it was built: that every link, anchor and picture leads to something, that nothing is fetched from elsewhere, and
// that every page and every code of an error has its address.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
};

const textOf = (attribute) =>
  attribute
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');

/** Where a page is: `errors/index.html` at `/errors/`, `options.html` at `/options`. */
const addressOf = (file) => BASE + file.replace(/(?:^|(?<=\/))index\.html$|\.html$/, '');

function readPage(file) {
  const html = readFileSync(`${BUILT}/${file}`, 'utf8');
  const found = Object.entries(KINDS).map(([kind, pattern]) => [
    kind,
    [...html.matchAll(pattern)].map(([, value]) => value && textOf(value)),
  ]);
  return { address: addressOf(file), ...Object.fromEntries(found) };
}

/** What a page links to, and what it loads, from this site alone. */
function mistakesOfPage({ address, links, loaded, linked, headings }, idsOf) {
  const at = (target) => new URL(target, `http://site${address}`);
  const dead = links.filter((link) => {
    const { host, pathname, hash } = at(link);
    if (host !== 'site') return false;
    const ids = idsOf.get(pathname);
    if (!ids) return !existsSync(BUILT + pathname.replace(BASE, '/')) || pathname.endsWith('/');
    return hash !== '' && !ids.has(decodeURIComponent(hash.slice(1)));
  });
  const foreign = [...loaded, ...linked].filter((target) => {
    const { host, protocol, pathname } = at(target);
    return protocol !== 'data:' && (host !== 'site' || !existsSync(BUILT + pathname.replace(BASE, '/')));
  });
  return [
    ...new Set(dead.map((link) => `links to ${link}, which is not there`)),
    ...new Set(foreign.map((target) => `loads ${target}, which is not of this site`)),
    ...(headings.length === 1 ? [] : [`has ${headings.length} first headings`]),
  ].map((mistake) => `${address} ${mistake}`);
}

/** All mistakes of the built site. */
function mistakesOfSite() {
  const pages = readdirSync(BUILT, { recursive: true })
    .filter((file) => file.endsWith('.html') && file !== '404.html')
    .map(readPage);
  const idsOf = new Map(pages.map(({ address, ids }) => [address, new Set(ids)]));
  const wanted = [
    ...PAGES.map(({ address }) => address),
    ...codesOf().map(({ code }) => `/errors/${code}`),
    ...apiEntries().map(apiAddressOf),
  ];
  return [
    ...wanted.filter((address) => !idsOf.has(BASE + address.slice(1))).map((address) => `${address} is not there`),
    ...pages.flatMap((page) => mistakesOfPage(page, idsOf)),
  ];
}

const mistakes = mistakesOfSite();
for (const mistake of mistakes) console.error(mistake);
process.exitCode = mistakes.length === 0 ? 0 : 1;
