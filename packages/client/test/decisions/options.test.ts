import { describe, expect, it } from '@jest/globals';
import { type DecisionsOptions, decisions } from '@sluice/client/decisions';
import { concurrency, MemoryStore } from '@sluice/core';

const OPTIONS = { url: 'http://127.0.0.1:8080', policy: 'api' };
const minute = { limit: 1, window: '1m' };

describe('decisions', () => {
  it.each<[options: object, path: string]>([
    [{ url: 'localhost:8080' }, 'url'],
    [{ url: 'ftp://127.0.0.1' }, 'url'],
    [{ url: 'http://ann:secret@127.0.0.1' }, 'url'],
    [{ url: 'http://127.0.0.1/?a=1' }, 'url'],
    [{ url: undefined }, 'url'],
    [{ policy: '' }, 'policy'],
    [{ policy: 5 }, 'policy'],
    [{ token: 'two words' }, 'token'],
    [{ token: 'a\nb' }, 'token'],
    [{ deadline: 0 }, 'deadline'],
    [{ deadline: '11s' }, 'deadline'],
    [{ deadline: 'soon' }, 'deadline'],
    [{ onStoreError: 'open' }, 'onStoreError'],
    [{ onStoreError: 'local' }, 'local'],
    [{ onStoreError: 'deny', local: minute }, 'local'],
    [{ local: { limit: -1, window: '1m' } }, 'local.limit'],
    [{ local: { ...minute, name: 'other' } }, 'local.name'],
    [{ local: { ...minute, store: new MemoryStore() } }, 'local.store'],
    [{ local: { ...minute, onStoreError: 'allow' } }, 'local.onStoreError'],
    [{ local: { limit: concurrency({ limit: 5, lease: '1m' }) } }, 'local.limits'],
    [{ local: 5 }, 'local.options'],
    [{ headers: 'x-api-key' }, 'headers'],
    [{ headers: ['x api key'] }, 'headers[0]'],
    [{ headers: Array.from({ length: 33 }, () => 'a') }, 'headers'],
    [{ expires: '999ms' }, 'expires'],
    [{ expires: '25h' }, 'expires'],
    [{ timeout: 5 }, 'timeout'],
  ])('refuses %j', (wrong, path) => {
    const make = (): unknown => decisions({ ...OPTIONS, ...wrong } as DecisionsOptions);
    expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });

  it('shows no token and no password in messages', () => {
    for (const wrong of [{ token: 'very secret' }, { url: 'http://ann:very%20secret@127.0.0.1' }]) {
      const make = (): unknown => decisions({ ...OPTIONS, ...wrong });
      expect(make).toThrow(expect.objectContaining({ message: expect.not.stringContaining('secret') }));
    }
  });

  it.each(['http://127.0.0.1:8080', new URL('https://gateway.example/limits'), 'http://[::1]:8080/'])(
    'takes the URL %s',
    async (url) => {
      const remote = decisions({ ...OPTIONS, url });
      expect(remote.name).toBe('api');
      await remote.close();
    },
  );
});
