import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { emittedWarnings, type Warning } from '@sluice/test-kit/emitted-warnings';
import { addressList, clientAddress, rateLimit } from '../src/index.js';

const requestWith = (forwarded: string | undefined): Request =>
  new Request('http://localhost/', forwarded === undefined ? {} : { headers: { 'X-Forwarded-For': forwarded } });

describe('clientAddress', () => {
  it.each([
    ['203.0.113.7', '10.0.0.1', ['10.0.0.0/8'], '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', '10.0.0.1', ['10.0.0.0/8'], '203.0.113.7'],
    ['203.0.113.7,10.2.3.4', '10.0.0.1', ['10.0.0.0/8'], '203.0.113.7'],
    ['203.0.113.7', '192.0.2.1', ['10.0.0.0/8'], '192.0.2.1'],
    ['', '10.0.0.1', ['10.0.0.0/8'], '10.0.0.1'],
    [undefined, '10.0.0.1', ['10.0.0.0/8'], '10.0.0.1'],
    ['203.0.113.7', '10.0.0.1', [], '10.0.0.1'],
    ['203.0.113.7', undefined, ['0.0.0.0/0'], undefined],
    ['203.0.113.7', null, ['0.0.0.0/0'], undefined],
  ])('of %j from %j behind %j is %j', (forwarded, connected, trustProxy, address) => {
    expect(clientAddress({ trustProxy })(requestWith(forwarded), connected)).toBe(address);
  });

  it('takes a list of proxies that can be replaced', () => {
    const trustProxy = addressList();
    const addressOf = clientAddress({ trustProxy });
    expect(addressOf(requestWith('203.0.113.7'), '10.0.0.1')).toBe('10.0.0.1');
    trustProxy.replace(['10.0.0.0/8']);
    expect(addressOf(requestWith('203.0.113.7'), '10.0.0.1')).toBe('203.0.113.7');
  });

  it('trusts nobody by default', () => {
    expect(clientAddress()(requestWith('203.0.113.7'), '10.0.0.1')).toBe('10.0.0.1');
  });

  it('refuses wrong options', () => {
    for (const [options, path] of [
      [{ trustProxy: ['nowhere'] }, 'trustProxy[0]'],
      [{ trust: [] }, 'trust'],
    ] as const) {
      expect(() => clientAddress(options as never)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
    }
  });
});

describe('a request with X-Forwarded-For', () => {
  let warnings: readonly Warning[];
  beforeEach(() => {
    warnings = emittedWarnings();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const addressOf = (trustProxy: string[]) => (request: Request) => clientAddress({ trustProxy })(request, '10.0.0.1');

  it.each([
    ['warns if the address is a private one that is not in it', '203.0.113.7', () => '10.0.0.1', 'UNTRUSTED'],
    ['warns if clientAddress trusts nobody', '203.0.113.7', addressOf([]), 'UNTRUSTED'],
    ['warns if clientAddress trusts everybody', '203.0.113.7', addressOf(['0.0.0.0/0']), 'TRUSTS_ALL'],
    ['says nothing if clientAddress trusts the proxy', '203.0.113.7', addressOf(['10.0.0.0/8']), undefined],
    ['says nothing if the address is in it', '198.51.100.1, 10.0.0.7', () => '10.0.0.7', undefined],
    ['says nothing if the platform has found the address elsewhere', '198.51.100.1', () => '203.0.113.7', undefined],
  ])('%s', async (_, forwarded, address, code) => {
    const limit = rateLimit({ limit: 5, window: '1m' });
    const request = requestWith(forwarded);
    await limit(request, { address: address(request) });
    expect(warnings.map((warning) => warning.code)).toEqual(code === undefined ? [] : [`SLUICE_PROXY_${code}`]);
  });
});
