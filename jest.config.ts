/** @jest-config-loader esbuild-register */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config } from 'jest';

/** Published as ES modules alone, which Jest's CommonJS mode cannot load as they are. So is Nest since version 12. */
const ES_MODULES = [
  'cookie',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  '@borewit',
  'load-esm',
  'uid',
  'light-my-request',
  'ai',
  'ai6',
  '@ai-sdk',
  'ai-sdk-openai3',
  'ai-sdk-anthropic3',
  'zod',
  '@workflow',
  '@seriousme',
];

/** What of `node_modules` is taken as it is: all but these. */
const asIs = (modules: readonly string[]): string[] => [`/node_modules/(?!(${modules.join('|')})/)`];

const project: Config = {
  runtime: '<rootDir>/.config/test-runtime.cjs',
  testEnvironment: '<rootDir>/.config/test-environment.mjs',
  testEnvironmentOptions: { customExportConditions: ['@sluice/source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // What is published has the names of the workspaces.
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  transform: {
    '\\.[jt]s$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2023',
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  transformIgnorePatterns: asIs(['@nestjs', ...ES_MODULES]),
};

/**
 * Folders and files that prove what happens within so many milliseconds, which a machine that is busy with other tests may
 * not have.
 */
const BY_REAL_TIME = [
  'packages/redis/test/faults',
  'packages/cluster/test/faults',
  'packages/cloudflare/test/faults',
  'packages/postgres/test/faults',
  'packages/sqlite/test/faults',
  'packages/remote/test/guard',
  'packages/distributed/test/leased/leased-store',
  'packages/distributed/test/sharded/sharded-store',
  'packages/bench/test/overload/open-load',
  'packages/bench/test/processor-time',
  'packages/metrics/test/live-policies',
  'packages/express/test/tenants',
];

/**
 * Tests of the Nest package that are the same under every version of Nest: what they import, directly or through sources, imports
 * nothing of Nest. The compiler that `types` starts finds the newest version by itself.
 */
const WITHOUT_NEST = [
  'application-policies',
  'check-addressless',
  'invocation',
  'invocation-sources',
  'named-after',
  'pair-cache',
  'types',
];

/** `npm run proof -- suites` runs the shared suites with each Nest on each platform, CI with each Nest and each platform once. */
const IS_FULL = process.env.SLUICE_SUITES === 'full';
const WITH_NEWEST_NEST = IS_FULL ? [] : ['adapter-suite', 'load-shedding', 'obeying-client', 'textbook'];
const WITH_NEST_11 = IS_FULL ? [] : ['adapter-suite-fastify'];

/** Tests of what shares its code with others that CI tries. `npm run proof -- suites races stores` runs them. */
const LEFT_TO_PROOF: readonly string[] = IS_FULL
  ? []
  : JSON.parse(readFileSync(join(__dirname, '.config/left-to-proof.json'), 'utf8'));

const nestTests = (names: readonly string[]): string[] =>
  names.map((name) => `<rootDir>/packages/nestjs/test/${name}\\.test\\.ts$`);

/** Finds the programs of PostgreSQL, where its tests may run. */
const POSTGRES = '<rootDir>/packages/test-kit/src/postgres/postgres-program.ts';

const config: Config = {
  globalSetup: '<rootDir>/packages/test-kit/src/redis/redis-program.ts',
  projects: [
    {
      ...project,
      globalSetup: POSTGRES,
      displayName: 'sluice',
      testMatch: [
        '<rootDir>/{packages,examples}/*/test/**/*.test.ts',
        '<rootDir>/.config/{,site/playground/test/}*.test.ts',
      ],
      testPathIgnorePatterns: [
        '/node_modules/',
        ...BY_REAL_TIME.map((path) => `<rootDir>/${path}[/.]`),
        ...nestTests(WITH_NEST_11),
        ...LEFT_TO_PROOF.map((path) => `<rootDir>/${path}\\.test\\.ts$`),
      ],
    },
    {
      ...project,
      globalSetup: POSTGRES,
      displayName: 'real time',
      testMatch: BY_REAL_TIME.map((path) => `<rootDir>/${path}{,/**/*}.test.ts`),
      runner: '<rootDir>/.config/quiet-runner.mjs',
    },
    {
      ...project,
      displayName: 'Nest 11',
      transformIgnorePatterns: asIs(ES_MODULES),
      testMatch: ['<rootDir>/packages/nestjs/test/**/*.test.ts', '<rootDir>/.config/nest-11/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...nestTests([...WITHOUT_NEST, ...WITH_NEWEST_NEST])],
      moduleNameMapper: {
        ...project.moduleNameMapper,
        '^@nestjs/(.*)$': '<rootDir>/.config/nest-11/node_modules/@nestjs/$1',
      },
    },
  ],
  // No test waits for time to pass; a machine that is busy with others may take longer than the usual 5 s over a long one.
  testTimeout: 120_000,
  // By default Jest leaves a core to itself: of two, only one would test. Files that start servers wait for a third of their time, so that
  // two files keep a core busy. `npm test` gives their V8 more room for new objects, and no helpers that collect garbage: with more
  // processes than cores these only take the processor from each other.
  maxWorkers: 2 * availableParallelism(),
  // Tests that run at the same time are there to send much together.
  maxConcurrency: 100,
  // What a file leaves behind makes the collection of garbage slower for all later files: a file that takes 6 s by itself took 50 s
  // late in a run. A new process costs less.
  workerIdleMemoryLimit: '500MB',
  testSequencer: '<rootDir>/.config/sequencer.mjs',
  // Watchman is a service outside the repository; nothing here needs it.
  watchman: false,
};

export default config;
