import { describe, expect, it } from '@jest/globals';
import { createEnforcer } from '@sluice/core/http';
import { routeName } from '../src/route-name.js';

type Route = Parameters<typeof routeName>[0];

describe('The name of a route', () => {
  it.each<[name: string, route: Route]>([
    ['GET /users/:id', { method: 'GET', url: '/users/:id' }],
    ['GET /', { method: 'HEAD', url: '/' }],
    ['GET,POST /', { method: ['GET', 'HEAD', 'POST'], url: '/' }],
    ['PUT /%C3%A4%20%22', { method: 'PUT', url: '/ä "' }],
    ['GET /%EF%BF%BD', { method: 'GET', url: '/\ud800' }],
    ['GET / version=2.0.0', { method: 'GET', url: '/', constraints: { version: '2.0.0' } }],
    ['GET / host=/%5Ea/ version=1.0.0', { method: 'GET', url: '/', constraints: { version: '1.0.0', host: /^a/ } }],
  ])('is %s', (name, route) => {
    expect(routeName(route)).toBe(name);
  });

  const long = (end: string): Route => ({ method: 'GET', url: `/${'a'.repeat(200)}${end}` });

  it('is unchanged up to 128 characters, and then ends in a hash', () => {
    const whole = { method: 'GET', url: `/${'a'.repeat(123)}` };
    expect(routeName(whole)).toBe(`GET ${whole.url}`);
    expect(routeName(long(''))).toMatch(/^GET \/a{100}~[\w-]{22}$/);
    expect(routeName(long('b'))).toBe(routeName(long('b')));
    expect(routeName(long('b'))).not.toBe(routeName(long('c')));
  });

  it('is the name of a policy, however long', () => {
    const host = { requestOf: () => ({ method: 'GET', url: '/', headers: {} }) };
    const { policy } = createEnforcer({ name: routeName(long('ü')), limit: 1, window: '1m' }, host);
    expect(policy).toBe(routeName(long('ü')));
  });
});
