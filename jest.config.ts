/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const config: Config = {
  testMatch: ['<rootDir>/{packages,examples}/*/test/**/*.test.ts', '<rootDir>/.config/**/*.test.ts'],
  globalSetup: '<rootDir>/packages/redis/test/redis-program.ts',
  testEnvironmentOptions: { customExportConditions: ['@sluice/source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  // Watchman is a service outside the repository; nothing here needs it.
  watchman: false,
};

export default config;
