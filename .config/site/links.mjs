// The link rule: what a page links to is looked up from where its file lies in the repository. Pages become addresses of the site,
// other files and folders those of the repository, and everything else is a mistake.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { ROOT, sourceAddress } from './repository.mjs';

const EXTERNAL = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

/**
 * Returns what a link of a page becomes.
 *
 * @param target - As the page has it: `../src/limiter/engine.ts#L10`.
 * @param file - The file of the page, from the root of the repository.
 * @param addresses - The address of each file that is a page.
 * @returns `{ href }`; without `href` if the owner has not set the address of the repository; or `{ mistake }`.
 */
export function resolveLink(target, file, addresses) {
  if (target === '' || target === '#') return { mistake: `${file} has a link to nothing` };
  if (EXTERNAL.test(target) || target.startsWith('#')) return { href: target };
  const [, path, anchor = ''] = /^([^#]*)(#.*)?$/.exec(target);
  const wanted = normalize(join(dirname(file), decodeURI(path))).replace(/\/$/, '');
  const page = addresses.get(wanted) ?? addresses.get(`${wanted}/README.md`);
  if (page) return { href: page + anchor };
  if (path.startsWith('/') || wanted.startsWith('..') || !existsSync(ROOT + wanted)) {
    return { mistake: `${file} links to ${target}, which is no page and no file` };
  }
  const source = sourceAddress(wanted, statSync(ROOT + wanted).isDirectory() ? 'tree' : 'blob');
  return source ? { href: source + anchor } : {};
}

/** Returns the path of a picture from the page that is built; undefined if it is elsewhere, or is not there. */
export function resolvePicture(target, file, builtFile) {
  if (EXTERNAL.test(target)) return target;
  const path = ROOT + join(dirname(file), target);
  return existsSync(path) ? relative(dirname(builtFile), path) : undefined;
}

/** Collects what the rule finds. VitePress renders pages in any order, so that `buildEnd` fails with all mistakes at the end. */
export function collectMistakes() {
  const mistakes = new Set();
  return {
    onMistake: (mistake) => mistakes.add(mistake),
    buildEnd() {
      if (mistakes.size > 0) throw new Error([...mistakes].sort().join('\n'));
    },
  };
}

/** Has markdown-it apply the rule. `pageOf` finds the page by the path of what is built; `onMistake` hears of each mistake. */
export function linkRule(md, { pageOf, addresses, onMistake }) {
  md.core.ruler.push('sluice-links', ({ tokens, env }) => {
    // VitePress also renders headings alone, to know their text: without a page.
    const page = env.relativePath && pageOf(env.relativePath);
    if (!page?.file) return;
    const context = { ...page, addresses, onMistake };
    for (const token of tokens) {
      for (const part of token.children ?? [token]) applyTo(part, context);
      if (token.children) dropUnlinked(token.children);
    }
  });
}

function applyTo(token, context) {
  if (token.type === 'link_open') {
    const { href, mistake } = resolveLink(token.attrGet('href'), context.file, context.addresses);
    if (mistake) context.onMistake(mistake);
    token.meta = { isUnlinked: href === undefined };
    token.attrSet('href', href ?? '');
  } else if (token.type === 'image') {
    token.attrSet('src', pictureOf(token.attrGet('src'), context));
  } else if (token.type === 'text' && token.content.includes('{{')) {
    context.onMistake(`${context.file} has a text with {{, of which the site would show nothing: write it as code`);
  } else if (token.type.startsWith('html_')) {
    token.content = token.content.replace(
      /\b(src|srcset)="([^"]+)"/g,
      (_, name, target) => `${name}="${pictureOf(target, context)}"`,
    );
  }
}

function pictureOf(target, { file, builtFile, onMistake }) {
  const path = resolvePicture(target, file, builtFile);
  if (path === undefined) onMistake(`${file} shows ${target}, which is no file`);
  return path ?? '';
}

/** A link to a source that has no address yet becomes its text. */
function dropUnlinked(tokens) {
  let isDropping = false;
  for (const token of tokens) {
    if (token.type === 'link_open') isDropping = token.meta?.isUnlinked ?? false;
    if (!isDropping || !/^link_/.test(token.type)) continue;
    if (token.type === 'link_close') isDropping = false;
    token.hidden = true;
    token.type = 'text';
    token.tag = '';
    token.content = '';
  }
}
