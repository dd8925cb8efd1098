import { fileURLToPath } from 'node:url';

/** What a bundler for the page takes in place of modules of Node. */
export const ALIASES = {
  'node:http': fileURLToPath(new URL('node-http.ts', import.meta.url)),
  'node:net': fileURLToPath(new URL('node-net.ts', import.meta.url)),
};

/** With these conditions a bundler takes the sources, and what browsers get of them. */
export const CONDITIONS = ['@sluice/source', 'browser', 'module', 'import'];
