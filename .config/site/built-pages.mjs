// Which pages a built site has.
import { readdirSync } from 'node:fs';

/**
 * Returns the file and the path of each page: `errors/index.html` is at `/errors/`, `options.html` at `/options`. What answers for addresses
 * that are no page is not among them.
 *
 * @param built - The folder of the site.
 * @param base - Where the site begins below its host.
 */
export function pagesOfBuilt(built, base) {
  return readdirSync(built, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html') && file !== '404.html')
    .map((file) => ({ file, path: base + file.replace(/(?:^|(?<=\/))index\.html$|\.html$/, '') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
