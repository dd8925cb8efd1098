import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(__dirname, '..');
const CORE = join(ROOT, 'packages/core');
const WHY = join(CORE, 'docs/why');

/** More pages, or longer ones, are not read. */
const MOST_PAGES = 25;
const MOST_WORDS = 850;
/** Two screens. */
const MOST_LINES = 120;
const COLUMNS = 120;

const HEADINGS = ['## The question', '## The answer', '## Not chosen, and why', '## Files'];

/** Pages about the code, for those who have the repository. They are in no package that is published. */
const FOR_CONTRIBUTORS = [WHY, join(CORE, 'docs/architecture.md'), join(ROOT, 'packages/bench/docs')];

const pages = readdirSync(WHY)
  .filter((file) => file !== 'README.md')
  .sort();
const readPage = (page: string): string => readFileSync(join(WHY, page), 'utf8');

/** What a page links to, as absolute paths. */
function linksOf(path: string, text = readFileSync(path, 'utf8')): string[] {
  return [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, link]) => join(dirname(path), link as string));
}

/** The files of code below a folder. */
function codeBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:[cm]?[jt]s|lua)$/.test(path) && !/node_modules|dist\//.test(path))
    .map((path) => join(ROOT, folder, path));
}

/** The pages of reasons that a file of code names. */
function whyOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/\bdocs\/why\/([\w.-]+)/g)].map(([, page]) => page as string);
}

/** The notes of the bench that a file of code names, each with the heading that it names before. */
function notesOf(file: string): { heading: string | undefined; note: string }[] {
  const named = readFileSync(file, 'utf8').matchAll(/(?:"([^"\n]+)" in )?`packages\/bench\/docs\/([\w.-]+)`/g);
  return [...named].map(([, heading, note]) => ({ heading, note: note as string }));
}

/** How many lines a screen of so many columns shows. */
const shownLines = (text: string): number =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / COLUMNS)), 0);

describe('the pages of reasons', () => {
  it('are few', () => expect(pages.length).toBeLessThanOrEqual(MOST_PAGES));

  it('are listed by their titles', () => {
    const list = [...readPage('README.md').matchAll(/^- \[([^\]]+)\]\(([^)]+)\): \S/gm)];
    const listed = list.map(([, title, page]) => `${page}: # ${title}`).sort();
    expect(listed).toEqual(pages.map((page) => `${page}: ${readPage(page).split('\n', 1)[0]}`));
  });

  it.each(pages)('%s is two screens at most, under the same headings', (page) => {
    const text = readPage(page);
    expect(text.match(/^##+ .*/gm)).toEqual(HEADINGS);
    expect(shownLines(text)).toBeLessThanOrEqual(MOST_LINES);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS);
  });

  it.each(pages)('%s lists files that name it', (page) => {
    const text = readPage(page);
    const files = linksOf(join(WHY, page), text.slice(text.indexOf('## Files')));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(file) || !whyOf(file).includes(page))).toEqual([]);
  });
});

describe('code', () => {
  const files = ['.config', 'examples', 'packages'].flatMap(codeBelow).filter((file) => file !== __filename);

  it('names pages of reasons that there are', () => {
    const named = files.flatMap((file) => whyOf(file).map((page) => `${relative(ROOT, file)}: ${page}`));
    expect(named.length).toBeGreaterThan(pages.length);
    expect(named.filter((text) => !existsSync(join(WHY, text.replace(/.*: /, ''))))).toEqual([]);
  });

  it('names notes of the bench that there are, and their headings', () => {
    const named = files.flatMap(notesOf);
    expect(named.length).toBeGreaterThan(5);
    const missing = named.filter(({ heading, note }) => {
      const path = join(ROOT, 'packages/bench/docs', note);
      return !existsSync(path) || (heading && !readFileSync(path, 'utf8').includes(`\n## ${heading}\n`));
    });
    expect(missing).toEqual([]);
  });
});

/** Whether a file of code defines this name, which may have parentheses behind it. */
function defines(file: string, name: string): boolean {
  const word = name.replace(/\(.*/, '');
  const declared = `(?:function|class|interface|type|const) ${word}\\b`;
  const member = `^ +(?:(?:readonly|async|static) )*${word}(?:[(<?:,]| = )`;
  return new RegExp(`${declared}|${member}`, 'm').test(readFileSync(file, 'utf8'));
}

describe('the page of the architecture', () => {
  const path = join(CORE, 'docs/architecture.md');
  const text = readFileSync(path, 'utf8');

  it('names functions where they are defined', () => {
    // `consume` of [`engine.ts`](../src/limiter/engine.ts)
    const named = [...text.matchAll(/`([^`]+)` (?:of|in) \[[^\]]+\]\(([^)#]+)\)/g)];
    expect(named.length).toBeGreaterThan(20);
    const missing = named.filter(([, name, file]) => !defines(join(dirname(path), file as string), name as string));
    expect(missing.map(([all]) => all)).toEqual([]);
  });
});

describe('what is published', () => {
  const folders = readdirSync(join(ROOT, 'packages')).filter(
    (name) => !JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')).private,
  );
  const isForContributors = (path: string): boolean =>
    FOR_CONTRIBUTORS.some((one) => path === one || path.startsWith(`${one}/`));

  it('has no page for contributors', () => {
    const [pack] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '-w', 'packages/core'], {
        cwd: ROOT,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    const paths = (pack.files as { path: string }[]).map(({ path }) => join(CORE, path));
    expect(paths.map((path) => basename(path))).toContain('options.md');
    expect(paths.filter(isForContributors)).toEqual([]);
  });

  it('links to no page for contributors', () => {
    const published = folders.flatMap((name) =>
      readdirSync(join(ROOT, 'packages', name), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.md') && !/node_modules|dist\//.test(path))
        .map((path) => join(ROOT, 'packages', name, path))
        .filter((path) => !isForContributors(path)),
    );
    expect(published.length).toBeGreaterThan(folders.length);
    const links = published.flatMap((path) => linksOf(path).map((link) => [relative(ROOT, path), link] as const));
    expect(links.filter(([, link]) => isForContributors(link))).toEqual([]);
  });
});
