import { describe, expect, it } from '@jest/globals';
import { logFormat } from '../../src/log/log-formats.js';

const read = logFormat('json').reader({ headers: ['x-api-key'], values: ['user.id'] });

/** Bytes as the reader of lines hands them on. */
const bytes = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('latin1');

describe('lines of JSON', () => {
  it.each<[string, object, string]>([
    [
      'nginx',
      {
        msec: '1795374044.250',
        request_time: '0.250',
        remote_addr: '203.0.113.9',
        request: 'GET /a HTTP/1.1',
        status: '200',
        http_x_api_key: 'k',
      },
      '44.000',
    ],
    [
      'pino-http',
      {
        time: 1795374044250,
        req: { method: 'GET', url: '/a', remoteAddress: '203.0.113.9', headers: { 'x-api-key': 'k' } },
        res: { statusCode: 200 },
        responseTime: 250,
      },
      '44.000',
    ],
    [
      'Caddy',
      {
        ts: 1795374044.25,
        request: { remote_ip: '203.0.113.9', method: 'GET', uri: '/a', headers: { 'X-Api-Key': ['k'] } },
        status: 200,
      },
      '44.250',
    ],
    [
      'Traefik',
      {
        StartUTC: '2026-11-22T19:00:44.250000001Z',
        ClientHost: '203.0.113.9',
        RequestMethod: 'GET',
        RequestPath: '/a',
        DownstreamStatus: 200,
        http_x_api_key: 'k',
      },
      '44.250',
    ],
    [
      'a logger of your own',
      {
        timestamp: '2026-11-22T19:00:44.250Z',
        ip: '203.0.113.9',
        method: 'GET',
        path: '/a',
        status_code: 200,
        duration_ms: 50,
        headers: { 'x-api-key': 'k' },
      },
      '44.200',
    ],
  ])('of %s are read', (_, value, seconds) => {
    expect(read(bytes(value))).toMatchObject({
      atMs: Date.parse(`2026-11-22T19:00:${seconds}Z`),
      method: 'GET',
      url: '/a',
      ip: '203.0.113.9',
      status: 200,
      headers: { 'x-api-key': 'k' },
      isExact: true,
      hasReached: true,
    });
  });

  it.each<[string, unknown, boolean]>([
    ['seconds', 1795374044, false],
    ['seconds with a fraction', 1795374044.5, true],
    ['milliseconds', 1795374044000, true],
    ['microseconds', 1795374044000000, true],
    ['nanoseconds', 1795374044000000000, true],
    ['seconds as text', '1795374044', false],
    ['milliseconds as text', '1795374044000', true],
    ['a date', '2026-11-22T19:00:44Z', false],
    ['a date with a fraction', '2026-11-22T19:00:44.000Z', true],
    ['the time of nginx', '22/Nov/2026:19:00:44 +0000', false],
  ])('have their time as %s', (_, time, isExact) => {
    const request = read(bytes({ time, url: '/' }));
    expect(Math.floor((request?.atMs ?? 0) / 1000)).toBe(1795374044);
    expect(request?.isExact).toBe(isExact);
  });

  it('are UTF-8', () => {
    expect(read(bytes({ time: 1795374044, url: '/caf\u00e9', user: { id: '\u0141\u00f3d\u017a' } }))).toMatchObject({
      url: '/caf\u00e9',
      values: ['\u0141\u00f3d\u017a'],
    });
  });

  it.each([
    ['no JSON', 'GET / 200'],
    ['cut in the middle', '{"time":1795374044,"url":"/'],
    ['a list', '[1,2]'],
    ['nothing', 'null'],
    ['of another kind', '{"time":1795374044,"msg":"server started"}'],
    ['without a time', '{"url":"/"}'],
    ['with a time that is none', '{"time":"soon","url":"/"}'],
    ['with a time beyond all years', '{"time":1e300,"url":"/"}'],
    ['that took longer than there are years', '{"time":1795374044,"request_time":1e300,"url":"/"}'],
  ])('that are %s are not read', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('do not take members of the prototype for fields', () => {
    const wanted = { headers: ['constructor'], values: ['__proto__.x', 'toString'] };
    const request = logFormat('json').reader(wanted)('{"time":1795374044,"url":"/","headers":{}}');
    expect(request).toMatchObject({ headers: { constructor: undefined }, values: [undefined, undefined] });
  });
});
