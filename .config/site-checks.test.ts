import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { evaluate } from './site-modules.js';

// The checks start it: on a machine that has none it is installed here, where there is time for it.
debianProgram('chromium-headless-shell');

const folder = mkdtempSync(join(tmpdir(), 'sluice-planted-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a site of pages, by their files, and returns its folder. */
function siteOf(name: string, pages: Readonly<Record<string, string>>): string {
  for (const [file, body] of Object.entries(pages)) {
    const path = join(folder, name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Page</title>${body}</html>`,
    );
  }
  return join(folder, name);
}

const GOOD = '<h1 id="top">Page</h1>';

describe('the check of the HTML', () => {
  const built = siteOf('html', {
    'index.html': `${GOOD}<a href="/below/page#part">page</a> <a href="#top">top</a> <a href="https://example.com/">elsewhere</a> <img src="/below/dot.svg" alt="A dot"> <img alt src="/below/dot.svg">`,
    'below/page.html': `${GOOD}<p id="part"><a href="../">start</a>`,
    'below/dot.svg': '',
    'link.html': `${GOOD}<a href="/nowhere">nowhere</a>`,
    'folder.html': `${GOOD}<a href="/below/">no page</a>`,
    'anchor.html': `${GOOD}<a href="/below/page#nowhere">nowhere</a> <a href="#nowhere">nowhere</a>`,
    'picture.html': `${GOOD}<img src="/nowhere.svg" alt="">`,
    'undescribed.html': `${GOOD}<img class="alternate" src="/below/dot.svg">`,
    'twice.html': `${GOOD}<p id="part"><p id="part"><a href="#part">which</a>`,
    'elsewhere.html': `${GOOD}<script src="https://example.com/a.js"></script><link rel="stylesheet" href="//example.com/a.css">`,
    'headings.html': `${GOOD}<h1>Page</h1>`,
    '404.html': '<a href="/nowhere">nowhere</a>',
  });

  it('finds each link, anchor, picture and address that is not there, what is loaded from elsewhere, and what has no text or two places', () => {
    const result = evaluate(`
      import { mistakesOfBuilt } from './check.mjs';
      const result = mistakesOfBuilt('${built}', '/', ['/', '/below/page', '/missing']);
    `);
    expect(result).toEqual([
      '/missing is not there',
      '/anchor links to /below/page#nowhere, which is not there',
      '/anchor links to #nowhere, which is not there',
      '/elsewhere loads https://example.com/a.js, which is not of this site',
      '/elsewhere loads //example.com/a.css, which is not of this site',
      '/folder links to /below/, which is not there',
      '/headings has 2 first headings',
      '/link links to /nowhere, which is not there',
      '/picture loads /nowhere.svg, which is not of this site',
      '/twice has several places part',
      '/undescribed shows /below/dot.svg without a text for those who do not see it',
    ]);
  });

  it('looks only below the address where the site begins', () => {
    const inside = siteOf('base', {
      'index.html': `${GOOD}<a href="/sluice/page">in</a> <a href="/page">out</a>`,
      'page.html': GOOD,
    });
    const result = evaluate(`
      import { mistakesOfBuilt } from './check.mjs';
      const result = mistakesOfBuilt('${inside}', '/sluice/', ['/page']);
    `);
    expect(result).toEqual(['/sluice/ links to /page, which is not there']);
  });
});

/**
 * Stands in for axe, which only the site installs: finds images without a text, and pale text in the dark. The check of the built site tries
 * axe itself on a page with both.
 */
const AXE = `
  window.axe = {
    async run(part, { runOnly }) {
      const of = (id, impact, selector) => [...document.querySelectorAll(part + ' ' + selector)].slice(0, 1)
        .map(() => ({ id, impact, nodes: [{ target: [selector], failureSummary: 'Fix it:\\n  now' }] }));
      const isDark = document.documentElement.classList.contains('dark') && innerWidth > 400;
      return {
        violations: runOnly
          ? of(runOnly[0], 'serious', isDark ? '.pale' : '.never')
          : [...of('image-alt', 'critical', 'img:not([alt])'), ...of('region', 'moderate', 'h1')],
      };
    },
  };`;

/** The router of VitePress, as far as the check uses it: shows another page of the site, here by a script for each. */
const APP = `<div id="app"></div><script>
  const pages = {
    '/routed/fails': () => console.error('planted'),
    '/routed/wide': () => (document.querySelector('h1').style.width = '500px'),
    '/routed/good': () => (document.querySelector('h1').style.width = ''),
  };
  const router = { go: async (path) => pages[path]() };
  document.getElementById('app').__vue_app__ = { _context: { provides: { [Symbol('other')]: {}, [Symbol('router')]: router } } };
</script>`;

describe('the check in Chromium', () => {
  const built = siteOf('chromium', {
    'index.html': `${GOOD}<img src="dot.svg" alt="A dot"><p class="pale">pale`,
    'dot.svg': '',
    'console.html': `${GOOD}<script>console.error('planted')</script>`,
    'throws.html': `${GOOD}<script>throw new Error('planted')</script>`,
    'asks.html': `${GOOD}<img src="http://127.0.0.1:9/planted" alt="">`,
    'missing.html': `${GOOD}<img src="nowhere.svg" alt="">`,
    'wide.html': `${GOOD}<div style="width: 500px">wide</div>`,
    'image.html': `${GOOD}<img src="data:,">`,
    'colours.html': `${GOOD}<p class="pale">pale`,
    'routed.html': `${GOOD}${APP}`,
  });

  const look = (paths: readonly string[], isFollowing: boolean): string[] =>
    evaluate(`
      import { launchChromium } from './chromium.mjs';
      import { mistakesOfPages } from './look.mjs';
      import { serve } from './serve.mjs';
      const server = await serve('${built}', '/');
      const browser = await launchChromium();
      const result = await mistakesOfPages(browser, {
        origin: 'http://127.0.0.1:' + server.address().port,
        paths: ${JSON.stringify(paths)},
        axe: ${JSON.stringify(AXE)},
        auditOf: (path) => path.startsWith('/routed/') ? undefined : { part: 'body', hasColours: path === '/colours' },
        isFollowing: ${isFollowing},
      });
      await browser.close();
      server.close();
    `);

  it('finds errors, requests to elsewhere, what is too wide, and what axe finds serious', () => {
    const paths = ['/', '/console', '/throws', '/asks', '/missing', '/wide', '/image', '/colours'];
    expect(look(paths, false)).toEqual([
      '/console console: planted',
      '/throws error: planted',
      '/asks asks http://127.0.0.1:9/planted',
      expect.stringMatching(/^\/asks console: /),
      expect.stringMatching(/^\/missing console: .*404/),
      '/wide is 508 pixels wide on a screen of 400',
      '/image axe: image-alt: img:not([alt]): Fix it: now',
      '/colours dark: axe: color-contrast: .pale: Fix it: now',
    ]);
  });

  it('finds the same where it follows links', () => {
    expect(look(['/routed', '/routed/fails', '/routed/wide', '/routed/good'], true)).toEqual([
      '/routed/fails console: planted',
      '/routed/wide is 508 pixels wide on a screen of 400',
    ]);
  });
});
