/** What is used of `process`. Some runtimes have only the first. */
type NodeProcess = Pick<NodeJS.Process, 'getBuiltinModule'> &
  Partial<Pick<NodeJS.Process, 'cpuUsage' | 'emitWarning' | 'hrtime'>>;

/**
 * Node.js, to ask for its modules: `NODE?.getBuiltinModule('node:util')`. Undefined where the runtime has none, as in a browser. An
 * import would not be found there, not even by a bundler. Bun, Deno and Workers have this function too, and some of the modules.
 *
 * In the Edge Runtime of Next.js, all functions of `process` are there and throw, and it has no platform.
 */
export const NODE: NodeProcess | undefined =
  globalThis.process?.platform && typeof process.getBuiltinModule === 'function' ? process : undefined;
