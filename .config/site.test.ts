import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** The modules of the site are no CommonJS, so that another process loads them. None of them needs what the site installs. */
function evaluate<T>(code: string): T {
  const script = `${code.replace(/from '\.\//g, `from '${join(__dirname, 'site')}/`)}\nconsole.log(JSON.stringify(result));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}

it('the site lists every page of the repository once, or says why it has it not', () => {
  expect(evaluate("import { mistakesOfList } from './collect.mjs';\nconst result = mistakesOfList();")).toEqual([]);
});

describe('the link rule', () => {
  const FILE = 'packages/express/README.md';
  const links: [string, object][] = [
    ['https://example.com', { href: 'https://example.com' }],
    ['mailto:a@example.com', { href: 'mailto:a@example.com' }],
    ['#install', { href: '#install' }],
    ['../core/docs/options.md', { href: '/options' }],
    ['../core/docs/options.md#key', { href: '/options#key' }],
    ['../core/docs/errors.md#sluice_key', { href: '/errors/#sluice_key' }],
    ['../fastify', { href: '/packages/fastify' }],
    ['../fastify/', { href: '/packages/fastify' }],
    ['../../README.md', { href: '/' }],
    ['src', { href: 'https://example.com/repository/tree/main/packages/express/src' }],
    ['package.json#L1', { href: 'https://example.com/repository/blob/main/packages/express/package.json#L1' }],
    ['options.md', { mistake: `${FILE} links to options.md, which is no page and no file` }],
    ['/options', { mistake: `${FILE} links to /options, which is no page and no file` }],
    ['../../../etc', { mistake: `${FILE} links to ../../../etc, which is no page and no file` }],
  ];
  const resolved = evaluate<object[]>(`
    import { OWNER } from './repository.mjs';
    import { ADDRESSES } from './collect.mjs';
    import { resolveLink } from './links.mjs';
    OWNER.repository = 'https://example.com/repository';
    const result = ${JSON.stringify(links)}.map(([link]) => resolveLink(link, '${FILE}', ADDRESSES));
  `);

  it.each(links.map(([link, expected], i) => [link, expected, resolved[i]]))('resolves %s', (_, expected, result) => {
    expect(result).toEqual(expected);
  });

  it('makes no link to a source as long as the repository has no address', () => {
    const result = evaluate(`
      import { OWNER } from './repository.mjs';
      import { resolveLink } from './links.mjs';
      OWNER.repository = '';
      const result = ['src', 'package.json#L1'].map((link) => resolveLink(link, '${FILE}', new Map()));
    `);
    expect(result).toEqual([{}, {}]);
  });
});
