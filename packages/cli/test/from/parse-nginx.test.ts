import { describe, expect, it } from '@jest/globals';
import { type Directive, parseNginx } from '../../src/from/nginx/parse.js';

/** Writes directives in one line each: the name, its arguments in brackets, and its block. */
function shown(directives: readonly Directive[]): string {
  return directives
    .map(({ name, args, block }) => `${name}[${args.join('|')}]${block ? `{${shown(block)}}` : ''}`)
    .join(' ');
}

describe('The reader of nginx configurations', () => {
  it.each([
    ['a directive', 'limit_req zone=one burst=5 nodelay;', 'limit_req[zone=one|burst=5|nodelay]'],
    ['blocks in blocks', 'http { server { listen 80; } }', 'http[]{server[]{listen[80]}}'],
    ['comments', '# one\na 1; # two;\nb; #', 'a[1] b[]'],
    ['a sign of comments in a word', 'rewrite /a#b /c;', 'rewrite[/a#b|/c]'],
    ['quotes', `log_format x '"$request" {;}' "it's";`, `log_format[x|"$request" {;}|it's]`],
    ['escapes', 'a "say \\"hi\\"" b\\ c \\d+;', 'a[say "hi"|b c|\\d+]'],
    ['variables in braces', `limit_req_zone \${a}b zone=z:1m;`, `limit_req_zone[\${a}b|zone=z:1m]`],
    ['regular expressions in quotes', 'location ~ "^/x{2}/" { }', 'location[~|^/x{2}/]{}'],
    ['an empty text', 'map $a $b { "" 1; default ""; }', 'map[$a|$b]{[1] default[]}'],
    ['code of another language', 'access_by_lua_block { a = { b; { } } } x 1;', 'access_by_lua_block[]{} x[1]'],
  ])('reads %s', (_, text, expected) => {
    expect(shown(parseNginx(text, 'f'))).toBe(expected);
  });

  it('knows the line of each directive', () => {
    const [http] = parseNginx('\n\nhttp {\n  a "two\nlines"; b;\n}', 'nginx.conf');
    expect(http?.place).toBe('nginx.conf:3');
    expect(http?.block?.map(({ place }) => place)).toEqual(['nginx.conf:4', 'nginx.conf:5']);
  });

  it.each([
    ['a directive without its end', 'a 1', 'f:1 a has no ; at its end'],
    ['a block without its end', 'http {\n a 1;', 'f:1 http has no } at its end'],
    ['a brace too many', 'a 1;\n}', 'f:2 there is a } without a {'],
    ['a brace without a name', '{ a 1; }', 'f:1 there is a { without a name'],
    ['a quote without its end', 'a "b', 'f:1 a quoted text has no " at its end'],
    ['a backslash at the end', 'a b\\', 'f:1 the text ends within a word'],
    ['Lua without its end', 'x_by_lua_block { {', 'f:1 a block of code has no } at its end'],
    ['blocks without an end', 'a {'.repeat(100_000), 'f:1 has more than 100 blocks in each other'],
  ])('refuses %s, with its place', (_, text, message) => {
    expect(() => parseNginx(text, 'f')).toThrow(message);
  });
});
