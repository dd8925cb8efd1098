import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

// Why it is so: docs/why/frameworks.md

const PACKAGES = resolve(__dirname, '../..');

/** A folder of code, which imports others by the table below. */
interface Row {
  /** Relative to the packages. Default: `src` of the package. */
  readonly code?: string;
  /**
   * The folders of the code from the lowest to the highest: each imports itself and those before it. A folder that is not in the list
   * belongs to the one that it lies in. The last one, `''`, has all other files.
   */
  readonly folders?: readonly string[];
  /** What it imports of other packages: all files inside a package by the package's name, and entries by their own names. */
  readonly imports: readonly string[];
}

/** Who imports whom: from the lowest to the highest. Each imports only from those before it. */
const TABLE: Readonly<Record<string, Row>> = {
  core: {
    folders: [
      'values',
      'calendars',
      'algorithms',
      'stores',
      'stores/memory/table',
      'stores/memory',
      'limiter/policy',
      'limiter',
      'testing',
    ],
    imports: [],
  },
  remote: { folders: ['batches', 'calls', 'grouped', 'guard', 'compare-and-swap'], imports: ['core'] },
  http: {
    folders: [
      'node',
      'refusals',
      'keys',
      'headers',
      'options',
      'fetch',
      'request',
      'waiting',
      'enforcement',
      'deciding',
      '',
    ],
    imports: ['core'],
  },
  overload: { folders: ['', 'shedding'], imports: ['core', 'http'] },
  distributed: { folders: ['in-front', 'leased', 'synced', 'sharded'], imports: ['core', 'remote'] },
  '@sluice/core': { code: 'core/entries', imports: ['core', 'http', 'remote', 'overload', 'distributed'] },
  conformance: {
    imports: [
      '@sluice/conformance/vectors',
      '@sluice/core',
      '@sluice/core/calendars',
      '@sluice/core/http',
      '@sluice/core/store',
      '@sluice/core/testing',
      '@sluice/core/values',
    ],
  },
  redis: { imports: ['@sluice/core', '@sluice/core/store', '@sluice/core/values'] },
  postgres: { imports: ['@sluice/core', '@sluice/core/store', '@sluice/core/values'] },
  sqlite: { imports: ['@sluice/core', '@sluice/core/store', '@sluice/core/values'] },
  cluster: { imports: ['@sluice/core', '@sluice/core/store', '@sluice/core/values'] },
  cloudflare: { imports: ['@sluice/core', '@sluice/core/store', '@sluice/core/values'] },
  express: {
    imports: [
      '@sluice/core',
      '@sluice/core/application',
      '@sluice/core/http',
      '@sluice/core/store',
      '@sluice/core/values',
    ],
  },
  fastify: { imports: ['@sluice/core', '@sluice/core/application', '@sluice/core/http', '@sluice/core/values'] },
  fetch: { imports: ['@sluice/core', '@sluice/core/application', '@sluice/core/http', '@sluice/core/values'] },
  hono: { imports: ['@sluice/core', '@sluice/core/application', '@sluice/core/http', '@sluice/core/values'] },
  koa: { imports: ['@sluice/core', '@sluice/core/application', '@sluice/core/http'] },
  nestjs: { imports: ['@sluice/core', '@sluice/core/application', '@sluice/core/http', '@sluice/core/values'] },
  client: {
    imports: ['@sluice/core', '@sluice/core/http', '@sluice/core/load', '@sluice/core/store', '@sluice/core/values'],
  },
  llm: {
    imports: ['@sluice/client', '@sluice/core', '@sluice/core/calendars', '@sluice/core/http', '@sluice/core/values'],
  },
  metrics: { imports: ['@sluice/core', '@sluice/core/load', '@sluice/core/values'] },
  config: { imports: ['@sluice/core', '@sluice/core/calendars', '@sluice/core/http', '@sluice/core/values'] },
  cli: {
    imports: [
      '@sluice/config',
      '@sluice/core',
      '@sluice/core/http',
      '@sluice/core/values',
      '@sluice/postgres',
      '@sluice/redis',
      '@sluice/sqlite',
    ],
  },
  server: {
    imports: [
      '@sluice/config',
      '@sluice/core',
      '@sluice/core/http',
      '@sluice/core/store',
      '@sluice/core/values',
      '@sluice/metrics',
      '@sluice/postgres',
      '@sluice/redis',
      '@sluice/sqlite',
    ],
  },
};

/** Private packages that measure or try the others. None of the others may know them. */
const OUTSIDE_THE_LINE = ['bench', 'simulation', 'soak', 'test-kit'];

interface Source {
  /** Relative to the packages: `core/src/values/limit.ts`. */
  readonly file: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const codeOf = (name: string): string => TABLE[name]?.code ?? `${name}/src`;

function sourcesIn(folder: string): Source[] {
  const root = join(PACKAGES, folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const imports = [...code(text).matchAll(/\b(?:(?:from|import)\s+|(?:require|import)\(\s*)'([^']+)'/g)];
      return { file: join(folder, file), text, imports: imports.map(([, specifier]) => specifier as string) };
    });
}

/** The text without its comments. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"])\/\/.*$/gm, '$1');
}

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

const rows = Object.keys(TABLE);
const everyPackage = readdirSync(PACKAGES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(PACKAGES, entry.name, 'src')))
  .map(({ name }) => name);
const sources = new Map(rows.map((name) => [name, sourcesIn(codeOf(name))]));
const all = [...sources.values()].flat();
const core = sources.get('core') as readonly Source[];

/** The part of the table that a specifier of ours stands for: the inside of a package, or an entry. */
function partOf(specifier: string): string {
  const [, name = '', path] = /^@sluice\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (path?.startsWith('src/')) return name;
  return path !== undefined && manifestOf(name).private ? name : specifier;
}

const isOurs = (specifier: string): boolean => specifier.startsWith('@sluice/');

describe('the table of packages', () => {
  it('has every package but those that measure or try the others', () => {
    const listed = rows.filter((name) => !name.startsWith('@'));
    expect([...listed, ...OUTSIDE_THE_LINE].sort()).toEqual(everyPackage);
  });

  it('lets each package import only from those before it', () => {
    const wrong = rows.flatMap((name, i) =>
      (TABLE[name] as Row).imports
        .filter((part) => {
          const [, entry, folder = entry] = /^(@sluice\/core|@sluice\/(\w+))/.exec(part) ?? [part, part];
          const before = rows.indexOf(folder as string);
          return before < 0 || before > i;
        })
        .map((part) => `${name} imports ${part}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(rows)('%s imports what is listed, its libraries and Node.js, and nothing else', (name) => {
    const { imports } = TABLE[name] as Row;
    const folder = codeOf(name).split('/')[0] as string;
    const { dependencies, peerDependencies } = manifestOf(folder);
    const libraries = Object.keys({ ...dependencies, ...peerDependencies });
    const isLibrary = (specifier: string): boolean =>
      libraries.some((library) => specifier === library || specifier.startsWith(`${library}/`));
    const strangers = (sources.get(name) as readonly Source[]).flatMap(({ file, imports: specifiers }) =>
      specifiers
        .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .filter((specifier) => !(isOurs(specifier) ? imports.includes(partOf(specifier)) : isLibrary(specifier)))
        .map((specifier) => `${file} imports ${specifier}`),
    );
    expect(strangers).toEqual([]);
  });

  it.each(rows)('%s imports all that is listed', (name) => {
    const used = new Set((sources.get(name) as readonly Source[]).flatMap(({ imports }) => imports.map(partOf)));
    expect((TABLE[name] as Row).imports.filter((part) => !used.has(part))).toEqual([]);
  });

  it.each(rows)('%s stays within its folder', (name) => {
    const root = join(PACKAGES, codeOf(name));
    const outside = (sources.get(name) as readonly Source[]).flatMap(({ file, imports }) =>
      imports
        .filter((specifier) => specifier.startsWith('.'))
        .filter((specifier) => relative(root, resolve(PACKAGES, dirname(file), specifier)).startsWith('..'))
        .map((specifier) => `${file} imports ${specifier}`),
    );
    expect(outside).toEqual([]);
  });
});

/** Each file of a package, and those of its own that it imports, types included; all relative to its code. */
function importsWithin(name: string): Map<string, readonly string[]> {
  const root = codeOf(name);
  return new Map(
    (sources.get(name) as readonly Source[]).map(({ file, imports }) => [
      relative(root, file),
      imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(root, join(dirname(file), specifier)).replace(/\.js$/, '.ts')),
    ]),
  );
}

/** The place of a file's folder among those of a package; less than 0 where it lies in none. */
function placeOf(folders: readonly string[], file: string): number {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    if (folders.includes(folder)) return folders.indexOf(folder);
  }
  return folders.indexOf('');
}

const withFolders = rows.flatMap((name) => {
  const { folders } = TABLE[name] as Row;
  return folders ? [[name, folders] as const] : [];
});

describe.each(withFolders)('inside %s', (name, folders) => {
  const within = importsWithin(name);

  it('all files lie in known folders', () => {
    expect([...within.keys()].filter((file) => placeOf(folders, file) < 0)).toEqual([]);
  });

  it('imports go only downwards from folder to folder', () => {
    const wrong = [...within].flatMap(([own, targets]) =>
      targets
        .filter((target) => placeOf(folders, target) > placeOf(folders, own) || placeOf(folders, target) < 0)
        .map((target) => `${own} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('no imports are circular', () => {
    const circles: string[] = [];
    const seen = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' imports '));
      if (seen.has(file)) return;
      seen.add(file);
      for (const target of within.get(file) ?? []) visit(target, [...path, file]);
    };
    for (const file of within.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });
});

/** What a file imports and shows to others, without types, which no program loads. */
function importsOfValues({ text }: Source): readonly string[] {
  const values = code(text).replace(/^(?:import|export) type [^;]*;/gm, '');
  return [...values.matchAll(/\bfrom\s+'([^']+)'/g)].map(([, specifier]) => specifier as string);
}

/** The file of ours that a specifier stands for; undefined if it stands for a library. */
function fileOf(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(from), specifier).replace(/\.js$/, '.ts');
  const [, name, path] = /^@sluice\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  return name === undefined ? undefined : `${name}/${path?.startsWith('src/') ? path : `src/${path}`}.ts`;
}

describe('the core', () => {
  it('serves requests without the code of tests', () => {
    const wrong = core.filter(({ file, imports }) => {
      const isTesting = file.startsWith('core/src/testing/');
      return !isTesting && imports.some((specifier) => specifier.includes('/testing/') || specifier.includes('jest'));
    });
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it('has calendars, and their library, only behind their entry point', () => {
    const importers = (isOf: (specifier: string) => boolean): string[] =>
      core.filter(({ imports }) => imports.some(isOf)).map(({ file }) => file.replace('core/src/', ''));
    const isInside = (file: string): boolean => file.startsWith('calendars/');
    expect(importers((specifier) => specifier === 'luxon').filter((file) => !file.startsWith('calendars/'))).toEqual(
      [],
    );
    expect(importers((specifier) => specifier.includes('/calendars/')).filter((file) => !isInside(file))).toEqual([]);
  });

  it('imports nothing of Node.js, and nor does anything that programs without a server load', () => {
    const files = new Map(all.map((source) => [source.file, source]));
    const loaded = new Set(core.filter(({ file }) => !file.startsWith('core/src/calendars/')).map(({ file }) => file));
    const visit = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const specifier of importsOfValues(files.get(file) as Source)) {
        const target = fileOf(specifier, file);
        if (target !== undefined) visit(target);
      }
    };
    for (const entry of ['index', 'distributed']) visit(`core/entries/${entry}.ts`);
    const wrong = [...loaded].filter((file) =>
      importsOfValues(files.get(file) as Source).some((specifier) => specifier.startsWith('node:')),
    );
    expect(loaded).toContain('distributed/src/leased/leased-store.ts');
    expect(wrong).toEqual([]);
  });

  it('has pure algorithms: they import neither Node.js nor a library', () => {
    const algorithms = core.filter(({ file }) => file.startsWith('core/src/algorithms/'));
    expect(algorithms.length).toBeGreaterThan(7);
    expect(algorithms.flatMap(({ imports }) => imports).filter((specifier) => !specifier.startsWith('.'))).toEqual([]);
  });
});

it('only the entry for fetch of @sluice/llm imports @sluice/client', () => {
  const importers = (sources.get('llm') as readonly Source[]).filter(({ imports }) =>
    imports.includes('@sluice/client'),
  );
  expect([...new Set(importers.map(({ file }) => dirname(file)))]).toEqual(['llm/src/fetch']);
});

/** A file that needs more has more than one subject. */
const MOST_IMPORTS = 15;

/** The files and packages from which a file imports, types included. What it only shows to others is not among them. */
function importedBy({ text }: Source): ReadonlySet<string> {
  const statements = code(text).matchAll(/^import\s(?:[^'";]*\sfrom\s)?'([^']+)';/gm);
  return new Set([...statements].map(([, specifier]) => specifier as string));
}

it('a file of any package imports from at most 15 others', () => {
  const sourcesOfAll = everyPackage.flatMap((name) => sourcesIn(`${name}/src`));
  const above = sourcesOfAll.filter((source) => importedBy(source).size > MOST_IMPORTS);
  expect(above.map(({ file }) => file)).toEqual([]);
});

describe('time and chance', () => {
  it('come from the clock alone', () => {
    const direct =
      /(?<!\.)\b(Date\.now|new Date\(\)|setTimeout|setInterval|performance\.(now|timeOrigin)|process\.hrtime|Math\.random)\b/;
    const users = all.filter(({ text }) => direct.test(code(text))).map(({ file }) => file);
    // The stopwatch measures what takes less than the milliseconds of a clock. Nothing is decided by it. The suite of adapters lets others
    // have a turn, where nothing but a timer can.
    expect(users).toEqual(['core/src/values/clock.ts', 'conformance/src/adapter-suite/next-turn.ts']);
  });

  it('are not printed: a library has no console', () => {
    const users = all.filter(({ text }) => /\bconsole\./.test(code(text))).map(({ file }) => file);
    // Where a browser has no process warnings; and the suite of adapters, which reads them there.
    expect(users).toEqual(['core/src/values/warning.ts', 'conformance/src/adapter-suite/recorded-warnings.ts']);
  });
});
