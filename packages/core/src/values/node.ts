/**
 * Node.js, to ask for its modules: `NODE?.getBuiltinModule('node:util')`. Undefined where the runtime has none, as in a browser. An
 * import would not be found there, not even by a bundler. Bun, Deno and Workers have this function too, and some of the modules.
 */
export const NODE: Pick<NodeJS.Process, 'getBuiltinModule'> | undefined =
  typeof globalThis.process?.getBuiltinModule === 'function' ? globalThis.process : undefined;
