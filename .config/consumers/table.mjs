// The projects of users that install the packs: one for each way to load them.

/** What all projects depend on, beside Nest, of which both versions are there. */
const DEPENDENCIES = {
  express: '^5.3.0',
  fastify: '^5.12.8',
  hono: '^4.13.19',
  ioredis: '^6.0.0',
  pg: '^8.23.1',
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.2',
};

const nest = (version, ...more) =>
  Object.fromEntries(['common', 'core', 'platform-express', ...more].map((name) => [`@nestjs/${name}`, version]));

const NODE_TEST = 'node --test';

/**
 * @typedef {object} Consumer
 * @property {string} description
 * @property {string} test - the command that runs its tests
 * @property {Readonly<Record<string, string>>} dependencies
 * @property {'module' | 'commonjs'} type - of the tests that are the same for each, in `tests`
 * @property {readonly string[]} tests - the names of these
 * @property {string} [own] - the folder with tests for this one alone
 */

/** @type {Readonly<Record<string, Consumer>>} */
export const CONSUMERS = {
  esm: {
    description: 'ES modules under Node, with Nest 12',
    test: NODE_TEST,
    dependencies: { ...DEPENDENCIES, ...nest('^12.5.1') },
    type: 'module',
    tests: ['core', 'express', 'fastify', 'formats', 'hono', 'nestjs', 'postgres', 'redis'],
  },
  commonjs: {
    description: 'CommonJS under Node, with Nest 11',
    test: NODE_TEST,
    dependencies: { ...DEPENDENCIES, ...nest('^11.1.0') },
    type: 'commonjs',
    tests: ['core', 'express', 'fastify', 'hono', 'nestjs', 'postgres', 'redis'],
  },
  jest: {
    description: 'CommonJS under Jest as it comes, with supertest and Nest 11',
    test: 'jest',
    dependencies: { ...DEPENDENCIES, ...nest('^11.1.0', 'testing'), jest: '^30.5.2', supertest: '^7.3.2' },
    type: 'commonjs',
    tests: ['core', 'postgres', 'redis'],
    own: 'tests/jest',
  },
};
