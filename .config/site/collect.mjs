// Lays all pages out as VitePress wants them: in one folder, each where its address says. What is made from others is made here: a
// page for each code of an error or a warning, and llms.txt.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GROUPS, LEFT_OUT, PAGES } from './pages.mjs';
import { BASE, markdownFiles, OWNER, ROOT } from './repository.mjs';

/** Where the pages are laid out. */
export const LAID_OUT = fileURLToPath(new URL('dist/pages/', import.meta.url));

/** The pages of the reference, as they are made from the docstrings. */
export const API = fileURLToPath(new URL('dist/api/', import.meta.url));

/** The file of the page about an entry: `core/http.md` for `@sluice/core/http`. */
export const apiFileOf = (entry) => `${entry.replace('@sluice/', '')}.md`;

/** The address of the page about an entry. */
export const apiAddressOf = (entry) => `/api/${entry.replace('@sluice/', '')}`;

/** The entries that the reference is about, in the order of their names. */
export const apiEntries = () =>
  existsSync(API)
    ? readdirSync(API, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.md') && file !== 'index.md')
        .map((file) => `@sluice/${file.replace(/\.md$/, '')}`)
        .sort()
    : [];

const ERRORS = 'packages/core/docs/errors.md';

/** The path that VitePress knows a page by. */
export const builtPathOf = (address) => `${address.slice(1).replace(/(?:^|\/)$/, '$&index')}.md`;

/** The address of each file that is a page. */
export const ADDRESSES = new Map(PAGES.map(({ file, address }) => [file, address]));

/** The file, the group and the place of each page, by the path that VitePress knows it by. */
export const PAGE_OF_BUILT = new Map(
  PAGES.map((page) => [builtPathOf(page.address), { ...page, builtFile: LAID_OUT + builtPathOf(page.address) }]),
);

/** What the list of pages lacks, or has too much, beside these files. */
export function mistakesOfList(files = markdownFiles()) {
  const listed = [...ADDRESSES.keys(), ...Object.keys(LEFT_OUT)];
  const addresses = PAGES.map(({ address }) => address);
  return [
    ...files.filter((file) => !listed.includes(file)).map((file) => `${file} is in no group of pages.mjs`),
    ...listed.filter((file) => !files.includes(file)).map((file) => `pages.mjs lists ${file}, which is no file`),
    ...addresses.filter((one, i) => addresses.indexOf(one) !== i).map((one) => `${one} is the address of two pages`),
  ];
}

/** The first page leads on, below the first sentences. */
const START = `
<div class="start">

[First limit in a minute](packages/core/docs/first-limit.md) [Playground](.config/site/playground.md) [Coming from another limiter](packages/core/docs/coming-from.md) [All pages](packages/core/docs/README.md)

</div>
`;

const withStart = (text) => text.replace(/^(# .*\n\n(?:.+\n)+)/, (lead) => lead + START);

/** Lays one page out anew. */
export function layOut({ file, address }) {
  const built = LAID_OUT + builtPathOf(address);
  mkdirSync(dirname(built), { recursive: true });
  if (file === 'README.md') writeFileSync(built, withStart(readFileSync(ROOT + file, 'utf8')));
  else copyFileSync(ROOT + file, built);
  if (file === ERRORS) layOutCodes();
}

/** Each code of an error or a warning, and what the page about errors says of it. */
export function codesOf(text = readFileSync(ROOT + ERRORS, 'utf8')) {
  const sections = [...text.matchAll(/^### (SLUICE_\w+)\n([\s\S]*?)(?=^##+ |(?![\s\S]))/gm)];
  return sections.map(([, code, body]) => ({ code, body: body.trim() }));
}

/** An address for each code stays the same, however the page about all of them changes. */
function layOutCodes() {
  mkdirSync(`${LAID_OUT}errors`, { recursive: true });
  for (const { code, body } of codesOf()) {
    const builtPath = `errors/${code}.md`;
    PAGE_OF_BUILT.set(builtPath, { file: ERRORS, address: `/errors/${code}`, builtFile: LAID_OUT + builtPath, code });
    const ownLinks = body.replace(/\]\(#(sluice_\w+)\)/g, (_, anchor) => `](./errors.md#${anchor})`);
    writeFileSync(LAID_OUT + builtPath, `# ${code}\n\n${ownLinks}\n\n[All errors and warnings](errors.md)\n`);
  }
}

/** Lays all pages out. */
export function layOutAll() {
  const mistakes = mistakesOfList();
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  rmSync(LAID_OUT, { recursive: true, force: true });
  for (const page of PAGES) layOut(page);
  if (existsSync(API)) cpSync(API, `${LAID_OUT}api`, { recursive: true });
  mkdirSync(`${LAID_OUT}public`);
  copyFileSync(fileURLToPath(new URL('logo.svg', import.meta.url)), `${LAID_OUT}public/logo.svg`);
  writeFileSync(`${LAID_OUT}public/llms.txt`, listForModels());
}

/** An address as others use it: whole, once the owner has set where the site is. */
const siteAddressOf = (address) => (OWNER.site ? OWNER.site.replace(/\/$/, '') + address : BASE + address.slice(1));

/** What language models read first (llmstxt.org): each page with its address and its first sentence. */
function listForModels() {
  const groups = GROUPS.map((group) => {
    const pages = PAGES.filter((page) => page.group === group).map(({ file, address }) => {
      return `- [${titleOf(file)}](${siteAddressOf(address)}): ${firstSentenceOf(readFileSync(ROOT + file, 'utf8'))}`.replace(
        /: $/,
        '',
      );
    });
    return `## ${group.title}\n\n${pages.join('\n')}\n`;
  });
  const reference = apiEntries().map((entry) => `- [${entry}](${siteAddressOf(apiAddressOf(entry))})`);
  groups.push(`## Every export\n\n${reference.join('\n')}\n`);
  return `# Sluice\n\n> ${firstSentenceOf(readFileSync(`${ROOT}README.md`, 'utf8'))}\n\n${groups.join('\n')}`;
}

/** The first sentence below the heading, as plain text. */
export function firstSentenceOf(text) {
  const [, paragraph = ''] = /^# .*\n+((?:(?![#|<]|- |```).+\n)+)/m.exec(text) ?? [];
  const plain = paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*_]|\s+$/g, '')
    .replace(/\s+/g, ' ');
  return /^.*?[.](?= |$)/.exec(plain)?.[0] ?? plain;
}

/** The heading of a page. */
export const titleOf = (file) => /^# (.*)$/m.exec(readFileSync(ROOT + file, 'utf8'))?.[1].replaceAll('`', '') ?? file;
