import { describe, expect, it } from '@jest/globals';
import { requestMatcher } from '../../src/match/request-matcher.js';

describe('the match of a policy', () => {
  it.each<[string, string, boolean]>([
    ['/v1/items', '/v1/items', true],
    ['/v1/items', '/v1/items?page=2', true],
    ['/v1/items', '/v1/items#top', true],
    ['/v1/items', '/v1/items/', false],
    ['/v1/items', '/V1/items', false],
    ['/v1/**', '/v1', true],
    ['/v1/**', '/v1/', true],
    ['/v1/**', '/v1/a/b?c=/v2', true],
    ['/v1/**', '/v10', false],
    ['/v1/**', '/v2?x=/v1/', false],
    ['/**', '/', true],
    ['/**', '/a/b', true],
    ['/v1/*', '/v1/a', true],
    ['/v1/*', '/v1/a/b', false],
    ['/v1/*', '/v1', false],
    ['/v*/items', '/v12/items', true],
    ['/*.php', '/index.php', true],
    ['/*.php', '/a/index.php', false],
    ['/**/*.php', '/index.php', true],
    ['/**/*.php', '/a/b/index.php', true],
    ['/a/**/z', '/a/z', true],
    ['/a/**/z', '/a/b/z/c/z', true],
    ['/a/**/z', '/a/b/z/c', false],
    ['/a/**/b/**/c', '/a/b/b/x/c', true],
    ['/a*b*c', '/axbxbxc', true],
    ['/a*b*c', '/axbxbx', false],
    ['/a.c', '/abc', false],
    ['**', '/anything/at/all', true],
  ])('%s on %s is %s', (path, url, isMatch) => {
    expect(requestMatcher({ path, methods: undefined })({ method: 'GET', url })).toBe(isMatch);
  });

  it('needs one of several paths, and one of the methods', () => {
    const matches = requestMatcher({ path: ['/a', '/b/**'], methods: ['GET', 'POST'] });
    expect(matches({ method: 'GET', url: '/a' })).toBe(true);
    expect(matches({ method: 'POST', url: '/b/c' })).toBe(true);
    expect(matches({ method: 'PUT', url: '/a' })).toBe(false);
    expect(matches({ method: 'GET', url: '/c' })).toBe(false);
  });

  it('is every request if the policy has none', () => {
    expect(requestMatcher(undefined)({ method: 'DELETE', url: '/x' })).toBe(true);
  });

  it('takes no long time for a path that is made to', () => {
    const matches = requestMatcher({ path: '/**/a*a*a*a*b/**/a*a*a*a*b', methods: undefined });
    expect(matches({ method: 'GET', url: `/${`${'a'.repeat(60)}/`.repeat(100)}` })).toBe(false);
  });
});
