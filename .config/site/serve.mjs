// Serves a built site as static hosts do: an address without an extension is an HTML file.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { BASE, BUILT } from './repository.mjs';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/**
 * Starts on a free port of this machine.
 *
 * @param built - The folder of the site.
 * @param base - Where the site begins below its host.
 */
export function serve(built = BUILT, base = BASE) {
  const server = createServer(async ({ url }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const path = normalize(decodeURIComponent(pathname)).replace(base, '');
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : extname(path) ? path : `${path}.html`;
    try {
      const body = await readFile(join(built, file));
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
