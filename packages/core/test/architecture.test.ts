import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const PACKAGES = resolve(__dirname, '../..');
const CORE = join(PACKAGES, 'core/src');

interface Source {
  /** Relative to the packages: `core/src/values/limit.ts`. */
  readonly file: string;
  readonly text: string;
  readonly imports: readonly string[];
}

function sourcesOf(name: string): Source[] {
  const root = join(PACKAGES, name, 'src');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const imports = [...code(text).matchAll(/\b(?:(?:from|import)\s+|(?:require|import)\(\s*)'([^']+)'/g)];
      return { file: join(name, 'src', file), text, imports: imports.map(([, specifier]) => specifier as string) };
    });
}

/** The text without its comments. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"])\/\/.*$/gm, '$1');
}

/**
 * The folders of the core from the lowest layer to the highest: each imports itself and those before it. A folder that is
 * not in the list belongs to the one that it lies in.
 */
const LAYERS = [
  'values',
  'calendars',
  'load',
  'algorithms',
  'stores',
  'stores/memory/table',
  'stores/memory',
  'stores/compare-and-swap',
  'stores/grouped',
  'stores/remote',
  'stores/in-front',
  'stores/leased',
  'stores/synced',
  'stores/sharded',
  'limiter/policy',
  'limiter',
  'http/node',
  'http/keys',
  'http/headers',
  'http',
  'testing',
];

/** Files that show users what others hold: above all layers. */
const ENTRY_POINTS = [
  'index.ts',
  'calendars/index.ts',
  'http/application.ts',
  'load/index.ts',
  'stores/index.ts',
  'stores/distributed.ts',
];

/** The place of a file's layer among the layers; less than 0 where it lies in none. */
function layerOf(file: string): number {
  if (ENTRY_POINTS.includes(file)) return LAYERS.length;
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    if (LAYERS.includes(folder)) return LAYERS.indexOf(folder);
  }
  return -1;
}

const everyPackage = readdirSync(PACKAGES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(join(PACKAGES, entry.name)).includes('src'))
  .map(({ name }) => name);
/** Those that are published; a private one measures or tries them, and none of them may know it. */
const packages = everyPackage.filter((name) => !manifestOf(name).private);
const core = sourcesOf('core');
const all = packages.flatMap(sourcesOf);

/** Each file of the core, and those of its own that it imports, types included. */
const importsOfCore = new Map(
  core.map(({ file, imports }): [file: string, targets: string[]] => {
    const own = relative('core/src', file);
    const targets = imports
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => relative(CORE, resolve(CORE, dirname(own), specifier)).replace(/\.js$/, '.ts'));
    return [own, targets];
  }),
);

describe('the core', () => {
  it('is made of known layers', () => {
    const strangers = core.filter(({ file }) => layerOf(relative('core/src', file)) < 0);
    expect(strangers.map(({ file }) => file)).toEqual([]);
  });

  it('imports only downwards from layer to layer', () => {
    const wrong = [...importsOfCore].flatMap(([own, targets]) =>
      targets
        .filter((target) => layerOf(target) > layerOf(own) || layerOf(target) < 0)
        .map((target) => `${own} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no circular imports', () => {
    const circles: string[] = [];
    const seen = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' imports '));
      if (seen.has(file)) return;
      seen.add(file);
      for (const target of importsOfCore.get(file) ?? []) visit(target, [...path, file]);
    };
    for (const file of importsOfCore.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('serves requests without the code of tests', () => {
    const wrong = core.filter(({ file, imports }) => {
      const isTesting = file.startsWith('core/src/testing/');
      return !isTesting && imports.some((specifier) => specifier.includes('/testing/') || specifier.includes('jest'));
    });
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it('needs nothing but Node.js and the libraries it declares', () => {
    const { dependencies } = manifestOf('core');
    // Its own tables of vectors are data that tests of other packages read, too.
    const strangers = core.flatMap(({ file, imports }) =>
      imports
        .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .filter((specifier) => !(specifier in dependencies))
        .filter((specifier) => specifier !== '@sluice/core/vectors' || !file.startsWith('core/src/testing/')),
    );
    expect(strangers).toEqual([]);
  });

  it('has calendars, and their library, only behind their entry point, and for the suite of stores', () => {
    const importers = (isOf: (specifier: string) => boolean): string[] =>
      core.filter(({ imports }) => imports.some(isOf)).map(({ file }) => file.replace('core/src/', ''));
    const isInside = (file: string): boolean => file.startsWith('calendars/') || file.startsWith('testing/store-suite');
    expect(importers((specifier) => specifier === 'luxon').filter((file) => !file.startsWith('calendars/'))).toEqual(
      [],
    );
    expect(importers((specifier) => specifier.includes('/calendars/')).filter((file) => !isInside(file))).toEqual([]);
  });

  it('has pure algorithms: they import neither Node.js nor a library', () => {
    const algorithms = core.filter(({ file }) => file.startsWith('core/src/algorithms/'));
    expect(algorithms.length).toBeGreaterThan(7);
    expect(algorithms.flatMap(({ imports }) => imports).filter((specifier) => !specifier.startsWith('.'))).toEqual([]);
  });
});

/**
 * Packages that keep states, check options of their own, or measure. Express's makes stores of those that its users have.
 */
const STORES = ['redis', 'postgres', 'express', 'hono', 'client', 'config', 'llm', 'metrics', 'server'];
/** Packages whose users write calendar windows as data. */
const CALENDARS = ['config', 'llm'];
/** Packages that read or limit load beside requests of HTTP. */
const LOADS = ['client', 'metrics'];
const ADAPTERS = packages.filter((name) => !['core', 'redis', 'postgres'].includes(name));

/** The programs are made of other packages. */
const ENTRIES_OF_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  cli: ['@sluice/config'],
  client: ['@sluice/core/load'],
  server: ['@sluice/config', '@sluice/metrics', '@sluice/redis'],
};

/** An entry point of a package that is made for users of another one. */
const ENTRIES_OF_FOLDERS: Readonly<Record<string, readonly string[]>> = { 'llm/src/fetch': ['@sluice/client'] };

interface Manifest {
  readonly private: boolean;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

function manifestOf(name: string): Manifest {
  const manifest = JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')) as Partial<Manifest>;
  const { private: isPrivate = false, dependencies = {}, peerDependencies = {} } = manifest;
  return { private: isPrivate, dependencies, peerDependencies };
}

describe.each(packages.filter((name) => name !== 'core'))('the package %s', (name) => {
  it('imports the core by the entry points meant for it, its peers and Node.js, and no other package of ours', () => {
    const { dependencies, peerDependencies } = manifestOf(name);
    const allowed = { ...dependencies, ...peerDependencies };
    const entries = [
      '@sluice/core',
      '@sluice/core/distributed',
      ...(STORES.includes(name) ? ['@sluice/core/store'] : []),
      ...(CALENDARS.includes(name) ? ['@sluice/core/calendars'] : []),
      ...(LOADS.includes(name) ? ['@sluice/core/load'] : []),
      ...(ADAPTERS.includes(name) ? ['@sluice/core/application', '@sluice/core/http'] : []),
      ...(ENTRIES_OF_PACKAGES[name] ?? []),
    ];
    const strangers = sourcesOf(name).flatMap(({ file, imports }) =>
      imports
        .filter(
          (specifier) => !isAllowed(specifier, allowed, [...entries, ...(ENTRIES_OF_FOLDERS[dirname(file)] ?? [])]),
        )
        .map((specifier) => `${file} imports ${specifier}`),
    );
    expect(strangers).toEqual([]);
  });

  it('stays within its folder', () => {
    const root = join(PACKAGES, name, 'src');
    const outside = sourcesOf(name).flatMap(({ file, imports }) =>
      imports
        .filter((specifier) => specifier.startsWith('.'))
        .filter((specifier) => relative(root, resolve(PACKAGES, dirname(file), specifier)).startsWith('..')),
    );
    expect(outside).toEqual([]);
  });
});

function isAllowed(specifier: string, dependencies: Manifest['dependencies'], entries: readonly string[]): boolean {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return true;
  if (specifier.startsWith('@sluice/')) return entries.includes(specifier);
  return Object.keys(dependencies).some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

/** A file that needs more has more than one subject. */
const MOST_IMPORTS = 15;

/** Files that still import from more others. Take one out as soon as it does not; add none. */
const STILL_ABOVE: readonly string[] = [
  'core/src/limiter/line/waiting-line.ts',
  'core/src/stores/memory/memory-store.ts',
];

/** The files and packages from which a file imports, types included. What it only shows to others is not among them. */
function importedBy({ text }: Source): ReadonlySet<string> {
  const statements = code(text).matchAll(/^import\s(?:[^'";]*\sfrom\s)?'([^']+)';/gm);
  return new Set([...statements].map(([, specifier]) => specifier as string));
}

describe('a file of any package', () => {
  const above = everyPackage
    .flatMap(sourcesOf)
    .filter((source) => importedBy(source).size > MOST_IMPORTS)
    .map(({ file }) => file);

  it('imports from at most 15 others', () => {
    expect(above.filter((file) => !STILL_ABOVE.includes(file))).toEqual([]);
  });

  it('is listed as one that imports from more only as long as it does', () => {
    expect(STILL_ABOVE.filter((file) => !above.includes(file))).toEqual([]);
  });
});

describe('time and chance', () => {
  it('come from the clock alone', () => {
    const direct =
      /(?<!\.)\b(Date\.now|new Date\(\)|setTimeout|setInterval|performance\.(now|timeOrigin)|process\.hrtime|Math\.random)\b/;
    const users = all.filter(({ text }) => direct.test(code(text))).map(({ file }) => file);
    expect(users).toEqual(['core/src/values/clock.ts']);
  });

  it('are not printed: a library has no console', () => {
    expect(all.filter(({ text }) => /\bconsole\./.test(code(text))).map(({ file }) => file)).toEqual([]);
  });
});
