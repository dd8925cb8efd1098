// The projects of users that install the packs: one for each way to load them.

/** What projects depend on that use every package, beside Nest, of which both versions are there. */
const DEPENDENCIES = {
  '@types/express': '^5.0.6',
  '@types/node': '^20.19.43',
  ai: '^7.0.173',
  express: '^5.3.0',
  'express-rate-limit': '^8.7.4',
  fastify: '^5.12.8',
  hono: '^4.13.19',
  ioredis: '^6.0.0',
  koa: '^3.3.0',
  libsql: '^0.5.29',
  pg: '^8.23.1',
  'prom-client': '^15.1.3',
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.2',
  typescript: '^7.0.2',
  undici: '^7.30.2',
};

/** The packages, each with a test of what a user does first. */
const PACKAGES = [
  'cli',
  'client',
  'cloudflare',
  'cluster',
  'config',
  'core',
  'express',
  'fastify',
  'fetch',
  'hono',
  'koa',
  'llm',
  'metrics',
  'nestjs',
  'postgres',
  'redis',
  'server',
  'sqlite',
];

const nest = (version, ...more) =>
  Object.fromEntries(['common', 'core', 'platform-express', ...more].map((name) => [`@nestjs/${name}`, version]));

/** @typedef {'node' | 'jest' | 'types'} Runner What runs tests: `node --test`, Jest or the compiler. */

/**
 * @typedef {object} Consumer
 * @property {string} description
 * @property {'module' | 'commonjs'} type - of all its tests
 * @property {Readonly<Partial<Record<Runner, readonly string[]>>>} tests - the names of the tests that each runner runs: they are
 *   in `tests`, those that are for Jest alone in `tests/jest`
 * @property {boolean} [hasOldestTypes] - whether `types` is also compiled with the oldest TypeScript that is supported. One consumer is
 *   enough: the declarations of both formats have the same text
 * @property {Readonly<Record<string, string>>} dependencies
 * @property {readonly string[]} [packages] - the packages that it uses. Default: all
 * @property {string} [nest] - the folder of the repository that depends on its version of Nest
 */

/** @type {Readonly<Record<string, Consumer>>} */
export const CONSUMERS = {
  esm: {
    description: 'ES modules under Node, with Nest 12',
    type: 'module',
    tests: {
      node: [...PACKAGES, 'formats', 'both-formats', 'calendars', 'import-cost'],
      types: ['types/usage'],
    },
    hasOldestTypes: true,
    dependencies: { ...DEPENDENCIES, ...nest('^12.5.1') },
    nest: '.',
  },
  commonjs: {
    description: 'CommonJS under Node, and under Jest as it comes, with supertest and Nest 11',
    type: 'commonjs',
    tests: {
      node: PACKAGES,
      types: ['types/usage'],
      jest: ['core', 'jest/express', 'jest/fastify', 'jest/hono', 'jest/nestjs', 'postgres', 'redis'],
    },
    dependencies: { ...DEPENDENCIES, ...nest('^11.1.0', 'testing'), jest: '^30.5.2', supertest: '^7.3.2' },
    nest: '.config/nest-11',
  },
  koa: {
    description:
      'the types of Koa, which do not compile beside Express 5.3: it brings a later version of what they are made of',
    type: 'module',
    tests: { types: ['../../../packages/koa/test/types/usages'] },
    dependencies: {
      '@types/koa': '^3.0.3',
      '@types/node': DEPENDENCIES['@types/node'],
      koa: DEPENDENCIES.koa,
      typescript: DEPENDENCIES.typescript,
    },
    packages: ['core', 'koa'],
  },
  app: {
    description: 'an empty folder into which somebody installs the packages of Express and Redis',
    type: 'module',
    tests: { node: ['brought'] },
    dependencies: {},
    packages: ['core', 'express', 'redis'],
  },
};
