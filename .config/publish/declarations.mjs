// Rolls the declarations of a package up into one file, of which each entry exports its part. One file, because a class that
// stood in the declarations of two entries would be two types. Also reports what the main entry of each package has.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { madeOf, ROOT } from './published.mjs';

const COMPILER_OPTIONS = {
  target: 'es2023',
  lib: ['es2023', 'es2024.string'],
  types: ['node'],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};

/** Where the reports are written, to be compared with those that are committed. */
const REPORTS = join(ROOT, 'node_modules/.cache/sluice-api');

/** What of a package's declarations adds to those of a framework. The roll-up leaves such declarations out. */
const AUGMENTATION = 'augmentation';

const IMPORT_OF_OWN = /^import type (\{[^}]+\}) from '(\.[^']+)';$/gm;
const STAR_OF_OWN = /^export \* from '\.\/([^']*)\.js';$/gm;
const STAR_OF_OTHER = /^export \* from '[^.][^']*';$/gm;

const declarationsIn = (folder, module) => join(folder, 'dist/esm', `${module}.d.ts`);

/** Returns the text of what adds to a framework's declarations, if a package has it. */
function augmentationOf({ folder }) {
  const path = declarationsIn(folder, AUGMENTATION);
  return existsSync(path) ? readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, '') : undefined;
}

/** Writes a module that has all that is declared by the entries of a package, beside what the compiler made of them. */
function writeWhole(unit) {
  const path = declarationsIn(unit.folder, 'declarations');
  const entries = unit.entries.map(({ module }) => `export * from './${module}.js';`);
  const added = (augmentationOf(unit) ?? '').matchAll(IMPORT_OF_OWN);
  const needed = [...added].map(([, names, module]) => `export type ${names} from '${module}';`);
  writeFileSync(path, [...entries, ...needed, ''].join('\n'));
  return path;
}

/** Returns how API Extractor reads a package from a file. `products` says what it makes. */
function configOf(unit, mainEntryPointFilePath, products) {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: unit.folder,
      mainEntryPointFilePath,
      bundledPackages: madeOf(unit),
      compiler: { overrideTsconfig: { compilerOptions: COMPILER_OPTIONS, files: ['dist/esm/declarations.d.ts'] } },
      apiReport: { enabled: false },
      docModel: { enabled: false },
      tsdocMetadata: { enabled: false },
      ...products,
    },
    packageJsonFullPath: join(unit.folder, 'package.json'),
  });
}

const rollUpConfigOf = (unit) =>
  configOf(unit, writeWhole(unit), {
    dtsRollup: { enabled: true, untrimmedFilePath: join(unit.stage, 'dist/declarations.d.ts') },
  });

/** What the report says beside the declarations is for API Extractor's other products. */
const SILENT = { default: { logLevel: 'none', addToApiReportFile: false } };

/** Returns how the report about an entry of a package is made, which `reportOf` reads. */
function reportConfigOf(unit, { module }) {
  mkdirSync(REPORTS, { recursive: true });
  return configOf(unit, declarationsIn(unit.folder, module), {
    apiReport: {
      enabled: true,
      reportFileName: `${unit.name}.api.md`,
      reportFolder: REPORTS,
      reportTempFolder: REPORTS,
    },
    messages: { extractorMessageReporting: SILENT, tsdocMessageReporting: SILENT },
  });
}

/** Returns what the main entry of a package declares, without docstrings; undefined of a package that has no such entry. */
export function reportOf({ name }) {
  const path = join(REPORTS, `${name}.api.md`);
  if (!existsSync(path)) return undefined;
  const [, code] = /^```ts\n([\s\S]*?)^```/m.exec(readFileSync(path, 'utf8').replaceAll('\r\n', '\n'));
  // Its comments are about docstrings, which this report is not about.
  return `${code.replaceAll(/^ *\/\/ .*\n/gm, '').trim()}\n`;
}

/** What the roll-up says of doc comments is for its other products. */
function isFault({ logLevel, messageId }) {
  const isOfComments = messageId.startsWith('tsdoc-') || messageId === 'ae-missing-release-tag';
  return !isOfComments && messageId !== 'ae-forgotten-export' && (logLevel === 'error' || logLevel === 'warning');
}

/** Makes what a configuration asks for. */
function extract(config, compilerState) {
  const faults = [];
  Extractor.invoke(config, {
    localBuild: true,
    compilerState,
    messageCallback(message) {
      if (isFault(message)) faults.push(message.formatMessageWithLocation(ROOT));
      message.handled = true;
    },
  });
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/**
 * Returns what an entry exports, symbols by name, without what it takes as a whole from another package. An entry declares
 * nothing itself, and may have all of another entry.
 */
function exportsOf(path, program) {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const { exports = new Map() } = checker.getSymbolAtLocation(source) ?? {};
  const named = [...exports]
    .filter(([name]) => name !== '__export')
    .map(([name, symbol]) => [name, checker.getAliasedSymbol(symbol)]);
  const whole = [...source.text.matchAll(STAR_OF_OWN)].flatMap(([, module]) =>
    exportsOf(join(dirname(path), `${module}.d.ts`), program),
  );
  return [...named, ...whole];
}

/** Fails if two entries mean different things by a name: the roll-up has one of each name. */
function checkNames({ folder, entries }, program) {
  const meanings = new Map();
  for (const { module } of entries) {
    for (const [name, symbol] of exportsOf(declarationsIn(folder, module), program)) {
      if (name === 'default') continue;
      if ((meanings.get(name) ?? symbol) !== symbol) throw new Error(`${folder}: two entries export another ${name}`);
      meanings.set(name, symbol);
    }
  }
}

const FROM = "from './declarations.js';";

/** Returns the statement that exports names of the roll-up, if there are any. */
const statement = (keyword, names) => (names.length > 0 ? [`${keyword} { ${names.join(', ')} } ${FROM}`] : []);

/** Returns the declarations of an entry. What is not among its values is only a type. Without names, it is still a module. */
function entryText(unit, { module }, values, program) {
  const path = declarationsIn(unit.folder, module);
  const names = exportsOf(path, program).map(([name, { name: own }]) => ({
    isValue: values.includes(name),
    text: name === 'default' ? `${own} as default` : name,
  }));
  return [
    ...(augmentationOf(unit) ? [`import './${AUGMENTATION}.js';`] : []),
    ...(names.length === 0 ? ['export {};'] : []),
    ...(readFileSync(path, 'utf8').match(STAR_OF_OTHER) ?? []),
    ...statement(
      'export',
      names.filter(({ isValue }) => isValue).map(({ text }) => text),
    ),
    ...statement(
      'export type',
      names.filter(({ isValue }) => !isValue).map(({ text }) => text),
    ),
    '',
  ].join('\n');
}

/** Writes declarations for both formats. */
function write(stage, name, text) {
  writeFileSync(join(stage, 'dist', `${name}.d.ts`), text);
  writeFileSync(join(stage, 'dist', `${name}.d.cts`), text.replaceAll(/(import|from) '(\.[^']+)\.js'/g, "$1 '$2.cjs'"));
}

/** Writes the declarations of a package, whose entries have these values. */
function declare(unit, config, values, compilerState) {
  const { program } = compilerState;
  checkNames(unit, program);
  extract(config, compilerState);
  const main = unit.entries.find(({ name }) => name === 'index');
  if (main) extract(reportConfigOf(unit, main), compilerState);
  write(unit.stage, 'declarations', readFileSync(config.untrimmedFilePath, 'utf8'));
  const augmentation = augmentationOf(unit)?.replaceAll(IMPORT_OF_OWN, `import type $1 ${FROM}`);
  if (augmentation) write(unit.stage, AUGMENTATION, augmentation);
  for (const entry of unit.entries) {
    write(unit.stage, entry.name, entryText(unit, entry, values.get(entry.name), program));
  }
}

/**
 * Writes the declarations of packages whose bundles are there. One program for all of them saves half of the time.
 * @param {ReadonlyMap<import('./published.mjs').Published, ReadonlyMap<string, readonly string[]>>} bundles - what each
 * entry of each package exports when it runs
 */
export function declareAll(bundles) {
  rmSync(REPORTS, { recursive: true, force: true });
  const units = [...bundles.keys()].filter(({ entries }) => entries.length > 0);
  const configs = new Map(units.map((unit) => [unit, rollUpConfigOf(unit)]));
  const [first, ...others] = configs.values();
  const additionalEntryPoints = others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
  const compilerState = CompilerState.create(first, { additionalEntryPoints });
  for (const [unit, config] of configs) declare(unit, config, bundles.get(unit), compilerState);
}
