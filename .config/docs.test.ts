import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mistakeText, readPolicyFile } from '@sluice/config';
import { parseSync, transformSync } from '@swc/core';

const ROOT = join(__dirname, '..');

/** The pages whose `ts` blocks have to run as they stand. */
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'packages')).flatMap((name) => pagesOf(join('packages', name))),
].sort();

function pagesOf(folder: string): string[] {
  return textsOf(folder).filter((path) => !path.includes('vectors'));
}

function textsOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith('.md') && !/node_modules|dist/.test(path));
}

interface Block {
  readonly line: number;
  readonly code: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(({ index, 1: code }) => ({
    line: text.slice(0, index).split('\n').length,
    code: code as string,
  }));
}

/** The first example of a README, if it needs a server, so that it has the right types and is not run. */
function exampleOf(page: string): Block[] {
  if (!/^packages\/[^/]+\/README\.md$/.test(page)) return [];
  const text = readFileSync(join(ROOT, page), 'utf8');
  const [block, language, code = ''] = /^```(ts|typescript)\n([\s\S]*?)^```/m.exec(text) ?? [];
  return block && language === 'typescript' ? [{ line: 0, code }] : [];
}

async function run(code: string): Promise<void> {
  const { code: script } = transformSync(code, {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true },
      target: 'es2022',
    },
    module: { type: 'commonjs' },
  });
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  await new AsyncFunction('require', 'exports', script)(require, {});
}

/** Servers that a block starts listen on a free port, whatever it says, and are closed after it. */
const servers: Server[] = [];
const listen = Server.prototype.listen;

beforeEach(() => {
  jest.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
    servers.push(this);
    const onListening = args.find((arg) => typeof arg === 'function');
    return Reflect.apply(listen, this, [0, '127.0.0.1', ...(onListening ? [onListening] : [])]);
  });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** The owner of the names sets it with the first release. Until then, only files of this repository are ours. */
const { isPublished }: { isPublished: boolean } = JSON.parse(
  readFileSync(join(__dirname, 'publish/owner.json'), 'utf8'),
);

interface Manifest {
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | null | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));

/** A package of ours by its name, or none. */
const ourPackage = (id: string): string | undefined => /^@sluice\/([^/]+)/.exec(id)?.[1];

/** These packages of ours, and those that they depend on. The core comes first. */
function withDependencies(names: readonly string[]): string[] {
  const all = new Set<string>(['core']);
  const add = (name: string): void => {
    if (all.has(name)) return;
    all.add(name);
    for (const id of Object.keys(manifestOf(name).dependencies ?? {})) {
      const ours = ourPackage(id);
      if (ours) add(ours);
    }
  };
  for (const name of names) add(name);
  return ['core', ...[...all].filter((name) => name !== 'core').sort()];
}

/** The packages that the first example of a page imports, but for modules of Node.js and of Workers. */
function importsOf(page: string): string[] {
  const [, example = ''] = /^```(?:ts|typescript)\n([\s\S]*?)^```/m.exec(page) ?? [];
  const ids = Array.from(example.matchAll(/ from '([^']+)'/g), ([, id]) => id as string);
  return ids.filter((id) => !/^(?:node:|cloudflare:|\.)/.test(id));
}

/** The sources of what users import from a package. */
function entriesOf(name: string): string[] {
  const targets = Object.values(manifestOf(name).exports ?? {});
  const sources = targets.map((target) => (typeof target === 'string' ? undefined : target?.['@sluice/source']));
  return sources.filter((source) => source?.endsWith('.ts') && !source.includes('*')) as string[];
}

/** The names that a README lists as exports: those of its table in the column of names, or all of its text. */
function exportsShownBy(page: string): string[] {
  const [section = ''] = /^## What it exports\n[\s\S]*?(?=^## )/m.exec(page) ?? [];
  const [header, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  const column = header?.split('|').findIndex((cell) => cell.trim() === 'Name');
  const text = column === undefined ? section : rows.map((row) => row.split('|')[column]).join();
  return Array.from(text.matchAll(/`@?([A-Za-z]\w*)(?:\([^`]*\))?`/g), ([, one]) => one as string);
}

it('the README is a front page', () => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8').length).toBeLessThanOrEqual(9000);
});

describe('the README of each published package', () => {
  const packages = readdirSync(join(ROOT, 'packages')).filter((name) => !manifestOf(name).private);

  // Whoever copies the install block and then the first example has a program that runs.
  it.each(packages)('packages/%s begins with how to install what its example needs', (name) => {
    const page = readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');
    const [, language, commands = ''] = /^```(\w+)\n([\s\S]*?)^```/m.exec(page) ?? [];
    expect(language).toBe('sh');
    const imports = importsOf(page);
    const ours = withDependencies([name, ...imports.flatMap((id) => ourPackage(id) ?? [])]);
    const installed = (commands.split(' npm install ')[1] ?? commands).trim().split(/\s+/);
    const { peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(name);
    const peers = Object.keys(peerDependencies).filter((id) => !peerDependenciesMeta[id]?.optional);
    expect(installed).toEqual(expect.arrayContaining([...peers, ...imports.filter((id) => !ourPackage(id))]));
    if (isPublished) {
      expect(installed).toContain(`@sluice/${name}`);
    } else {
      expect(commands.split('\n', 1)[0]).toBe(
        `npm run bundle && npm pack --pack-destination /path/to/your/app ${ours.map((one) => `./dist/${one}`).join(' ')}`,
      );
      expect(installed.at(-1)).toBe('./sluice-*.tgz');
    }
  });

  it.each(packages)('packages/%s exports what it says', (name) => {
    const page = readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');
    const sources = entriesOf(name)
      .map((file) => readFileSync(join(ROOT, 'packages', name, file), 'utf8'))
      .join();
    const missing = exportsShownBy(page).filter((one) => !new RegExp(`\\b${one}\\b`).test(sources));
    expect(missing).toEqual([]);
  });

  it.each(packages)('packages/%s is a front page', (name) => {
    expect(readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8').length).toBeLessThanOrEqual(10_000);
  });

  it.each(packages)('packages/%s leads to each of its pages', (name) => {
    const docs = join('packages', name, 'docs');
    const pages = existsSync(join(ROOT, docs))
      ? readdirSync(join(ROOT, docs)).filter((page) => page.endsWith('.md'))
      : [];
    const list = name === 'core' ? 'docs/README.md' : 'README.md';
    const text = readFileSync(join(ROOT, 'packages', name, list), 'utf8');
    const isLinked = (page: string): boolean => text.includes(name === 'core' ? `](${page}` : `](docs/${page}`);
    expect(pages.filter((page) => !isLinked(page) && !/^(?:README|architecture)\.md$/.test(page))).toEqual([]);
  });
});

/** Every page of the repository: what they link to has to be there. */
const ALL_PAGES = ['README.md', ...['.config', '.github', 'examples', 'packages'].flatMap(textsOf)].sort();

/** A page without its blocks of code. */
const withoutBlocks = (text: string): string => text.replace(/^(```+)[\s\S]*?^\1/gm, '');

/** The ids by which the headings of a page can be linked to, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const text = withoutBlocks(readFileSync(join(ROOT, page), 'utf8'));
  return [...text.matchAll(/^#+ (.*)$/gm)].map(({ 1: heading }) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(ALL_PAGES)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(({ 1: path, 2: anchor }) => ({
    path: path === '' ? page : relative(ROOT, join(ROOT, page, '..', path as string)),
    anchor,
  }));

  it('links to existing files', () => {
    expect(links.map(({ path }) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names existing files', () => {
    const named = [...text.matchAll(/`((?:packages|examples|\.config|\.github)\/[\w./-]*\w)[\w./*-]*`/g)];
    expect(named.map(([, path]) => path as string).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('has in each row of a table as many cells as in its head', () => {
    // A line within code has its cells divided as well: `string \\| number`. Markdown leaves out what is too much.
    const tables = withoutBlocks(text).matchAll(/^\|.*(?:\n\|.*)+/gm);
    const cellsOf = (row: string): number => row.replaceAll('\\|', '').split('|').length;
    const wrong = Array.from(tables, ([table]) => table.split('\n')).flatMap(([head = '', ...rows]) =>
      rows.filter((row) => cellsOf(row) !== cellsOf(head)),
    );
    expect(wrong).toEqual([]);
  });

  it('has no link without a target', () => {
    const prose = withoutBlocks(text).replace(/`[^`\n]*`/g, '');
    // `[name]: …` at the end of a page, for `[text][name]` and `[name][]` in it.
    const defined = Array.from(prose.matchAll(/^\[([^\]]+)\]: /gm), ([, name]) => name);
    const references = Array.from(prose.matchAll(/\[([^\]]*)\]\[([^\]]*)\]/g), ([, text, name]) => name || text);
    expect(references.filter((name) => name !== '' && !defined.includes(name))).toEqual([]);
    expect(prose).not.toMatch(/\]\(#?\)/);
  });

  it('links to existing headings', () => {
    const missing = links.filter(
      ({ path, anchor }) => anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).includes(anchor),
    );
    expect(missing).toEqual([]);
  });
});

/** What a command has after its options that npm would look up: the name of the program without a scope is never ours. */
const FOREIGN = isPublished ? '(?:sluice(?:-server)?(?![\\w-]))' : '(?:@sluice/|sluice(?:-server)?(?![\\w-]))';

/** Commands that fetch a name and run it, or add it. A folder, and `npx --no-install`, fetch nothing. */
const FETCHING = new RegExp(
  [
    `(?:npx|bunx|npm (?:exec|x|create|init)|(?:pnpm|yarn) dlx)(?: -y| --yes| --)* ${FOREIGN}`,
    `(?:npm (?:i|install|add)|(?:pnpm|yarn|bun) (?:add|install|i))\\b(?:[^\`\\n\\\\]|\\\\\\n)* ${FOREIGN}`,
  ].join('|'),
);

it('no page has a reader fetch a name from npm that is not ours', () => {
  const planted = [
    ...['npx sluice validate', 'npx -y sluice', 'bunx sluice', 'pnpm dlx sluice-server', 'npm exec -- sluice'],
    ...['npm i sluice', 'npm install --save-dev sluice', 'yarn add sluice@1', 'npm install express \\\n  sluice'],
  ];
  const scoped = ['npx @sluice/cli', 'npm install @sluice/core', 'npm install express \\\n  @sluice/express'];
  const harmless = [
    'npx --no-install sluice validate',
    'npm install ./sluice-*.tgz',
    'pnpm add ./sluice-core-0.1.0.tgz',
  ];
  expect(planted.filter((text) => !FETCHING.test(text))).toEqual([]);
  expect(scoped.filter((text) => FETCHING.test(text))).toEqual(isPublished ? [] : scoped);
  expect(harmless.filter((text) => FETCHING.test(text))).toEqual([]);
  const found = [...ALL_PAGES, ...programsOf('packages')].filter((path) =>
    FETCHING.test(readFileSync(join(ROOT, path), 'utf8')),
  );
  expect(found).toEqual([]);
});

/** The sources of programs, whose help and files say what to type. */
function programsOf(folder: string): string[] {
  return ['cli', 'server'].flatMap((name) =>
    readdirSync(join(ROOT, folder, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, name, 'src', path)),
  );
}

/** The examples that a page lets readers save as a file that Node.js runs as it stands. The README says it of all of its examples. */
function savedAsJavaScript(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  if (page === 'README.md') return blocksOf(page).map(({ code }) => code);
  const saved = text.matchAll(/[sS]ave (?:it|this) as\s+`[\w.]+\.mjs`[\s\S]*?^```\w+\n([\s\S]*?)^```/gm);
  return Array.from(saved, ([, code]) => code as string);
}

it.each(ALL_PAGES.filter((page) => savedAsJavaScript(page).length > 0))(
  '%s lets readers save as .mjs what Node.js runs',
  (page) => {
    for (const code of savedAsJavaScript(page)) parseSync(code, { syntax: 'ecmascript', target: 'es2022' });
  },
);

it('the commands for contributors find the tests that they name', () => {
  const page = readFileSync(join(ROOT, '.github/CONTRIBUTING.md'), 'utf8');
  const commands = [
    ...page.matchAll(/^(?:npm test --|node \S+ \S+jest\.js -i)(?: --watch)? (\S+)(?: -t '([^']+)')?/gm),
  ];
  expect(commands.length).toBeGreaterThanOrEqual(5);
  for (const [, path = '', name = ''] of commands) {
    const files = path.endsWith('.ts') ? [path] : readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' });
    const tests = files.filter((file) => file.endsWith('.test.ts'));
    const isNamed = (file: string): boolean =>
      readFileSync(join(ROOT, path.endsWith('.ts') ? '' : path, file), 'utf8').includes(`('${name}`);
    expect(tests.filter(isNamed)).not.toEqual([]);
  }
});

/** The policy files that a page shows: as YAML, and as text in code. */
function policyFilesOf(text: string): string[] {
  const files = [
    ...text.matchAll(/^```yaml\n(version: 1\n[\s\S]*?)^```/gm),
    ...text.matchAll(/`\n?(version: 1\n[^`]*)`/g),
  ];
  return files.map(([, file]) => file as string);
}

it('no policy file of a page lets clients choose their keys', () => {
  const found = ALL_PAGES.flatMap((page) =>
    policyFilesOf(readFileSync(join(ROOT, page), 'utf8')).flatMap((file) =>
      (readPolicyFile(file, { origin: page }).warnings ?? []).map(mistakeText),
    ),
  );
  expect(found).toEqual([]);
});

it('every ts block has the right types, as a file of its own', async () => {
  const folder = mkdtempSync(join(__dirname, 'blocks-'));
  try {
    for (const page of PAGES) {
      for (const { line, code } of [...blocksOf(page), ...exampleOf(page)]) {
        writeFileSync(join(folder, `${page.replaceAll('/', '+')}+${line}.ts`), `${code}\nexport {};\n`);
      }
    }
    const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false, noImplicitReturns: false };
    const settings = {
      extends: '../tsconfig.test.json',
      compilerOptions,
      include: ['*.ts', '../../examples/worker/src/cloudflare-workers.d.ts'],
      exclude: [],
      references: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
    const args = [tsc, '--checkers', '1', '--project', folder];
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 180_000);

describe.each(PAGES)('%s', (page) => {
  const blocks = blocksOf(page);

  // All blocks of this file run in one process, so that an import of one block is there for all others.
  it('shows the import of calendars wherever code makes a calendar window', () => {
    const windows = blocks.filter(({ code }) => /\bunit: '(?:hour|day|week|month)'/.test(code));
    const incomplete = windows.filter(({ code }) => !code.startsWith("import '@sluice/core/calendars';"));
    expect(incomplete.map(({ line }) => line)).toEqual([]);
  });

  for (const { line, code } of blocks) {
    it(`runs the code at line ${line}`, async () => {
      const close = jest.spyOn(Server.prototype, 'close');
      await run(code);
      // Whoever copies a program of a README that serves wants to send requests to it. One with assertions sends them itself.
      if (page.endsWith('README.md') && !code.includes('node:assert')) expect(close).not.toHaveBeenCalled();
    });
  }
});
