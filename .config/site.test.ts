import { describe, expect, it } from '@jest/globals';
import { evaluate } from './site-modules.js';

it('the site lists every page of the repository once, or says why it has it not', () => {
  expect(evaluate("import { mistakesOfList } from './collect.mjs';\nconst result = mistakesOfList();")).toEqual([]);
});

it('the list of pages says which file it lacks, and which it has too much', () => {
  const result = evaluate(`
    import { mistakesOfList } from './collect.mjs';
    import { markdownFiles } from './repository.mjs';
    const result = mistakesOfList([...markdownFiles().filter((file) => file !== 'README.md'), 'packages/new/README.md']);
  `);
  expect(result).toEqual([
    'packages/new/README.md is in no group of pages.mjs',
    'pages.mjs lists README.md, which is no file',
  ]);
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
    ['', { mistake: `${FILE} has a link to nothing` }],
    ['#', { mistake: `${FILE} has a link to nothing` }],
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

  it('fails the build with each link and picture that leads nowhere', () => {
    const result = evaluate(`
      import { ADDRESSES } from './collect.mjs';
      import { collectMistakes, linkRule } from './links.mjs';
      const { onMistake, buildEnd } = collectMistakes();
      let apply;
      const md = { core: { ruler: { push: (_, rule) => (apply = rule) } } };
      linkRule(md, { pageOf: () => ({ file: '${FILE}', builtFile: '/tmp/pages/express.md' }), addresses: ADDRESSES, onMistake });
      const token = (type, name, value) => ({ type, attrGet: () => value, attrSet() {} });
      const render = (...children) => apply({ tokens: [{ type: 'inline', children }], env: { relativePath: 'express.md' } });
      const end = () => { try { buildEnd(); return 'built'; } catch (error) { return error.message; } };
      render(token('link_open', 'href', '../core/docs/options.md'), { type: 'link_close' });
      const before = end();
      render(token('link_open', 'href', 'nowhere.md'), { type: 'link_close' });
      render(token('image', 'src', 'nowhere.svg'));
      render({ type: 'text', content: 'a { brace }, and {{ two }}' });
      const result = [before, end()];
    `);
    expect(result).toEqual([
      'built',
      [
        `${FILE} has a text with {{, of which the site would show nothing: write it as code`,
        `${FILE} links to nowhere.md, which is no page and no file`,
        `${FILE} shows nowhere.svg, which is no file`,
      ].join('\n'),
    ]);
  });
});

it('a keyboard can scroll to what a paragraph with a picture alone shows', () => {
  const result = evaluate(`
    import { scrolledPictures } from './scrolled-pictures.mjs';
    let apply;
    scrolledPictures({ core: { ruler: { push: (_, rule) => (apply = rule) } } });
    const attributesOf = (...types) => {
      const attributes = [];
      const open = { type: 'paragraph_open', attrSet: (...attribute) => attributes.push(attribute) };
      apply({ tokens: [open, { type: 'inline', children: types.map((type) => ({ type })) }, { type: 'paragraph_close' }] });
      return attributes;
    };
    const result = [attributesOf('image'), attributesOf('text'), attributesOf('image', 'text')];
  `);
  expect(result).toEqual([[['tabindex', '0']], [], []]);
});
