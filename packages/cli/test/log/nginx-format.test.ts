import { describe, expect, it } from '@jest/globals';
import { detectFormat, logFormat } from '../../src/log/log-formats.js';

const WANTED = { headers: ['x-api-key', 'user-agent'], values: ['remote_user'] };

/** Reads one line, and returns what the tests look at. */
function read(format: string, line: string) {
  const request = logFormat(format).reader(WANTED)(line);
  if (!request) return undefined;
  const { atMs, method, url, ip, status, headers, values, isExact, hasReached } = request;
  const at = new Date(atMs).toISOString();
  return { at, method, url, ip, status, agent: headers['user-agent'], user: values[0], isExact, hasReached };
}

const TAIL = '200 612 "-" "curl/8.5.0"';
const line = (request: string, user = '-'): string =>
  `203.0.113.9 - ${user} [22/Nov/2026:19:00:44 +0000] "${request}" ${TAIL}`;

describe('the combined format', () => {
  it('gives what policies read of a request', () => {
    expect(read('combined', line('GET /v1/items?page=2 HTTP/1.1'))).toEqual({
      at: '2026-11-22T19:00:44.000Z',
      method: 'GET',
      url: '/v1/items?page=2',
      ip: '203.0.113.9',
      status: 200,
      agent: 'curl/8.5.0',
      user: undefined,
      isExact: false,
      hasReached: true,
    });
  });

  it.each([
    ['+0000', '2026-11-22T19:00:44.000Z'],
    ['+0130', '2026-11-22T17:30:44.000Z'],
    ['-0800', '2026-11-23T03:00:44.000Z'],
  ])('reads the time in the zone %s', (zone, at) => {
    expect(read('combined', line('GET / HTTP/1.1').replace('+0000', zone))?.at).toBe(at);
  });

  it.each([
    ['a quote as nginx writes it', String.raw`GET /a\x22b HTTP/1.1`, '/a"b'],
    ['a quote as Apache writes it', String.raw`GET /a\"b HTTP/1.1`, '/a"b'],
    ['a backslash as nginx writes it', String.raw`GET /a\x5Cb HTTP/1.1`, String.raw`/a\b`],
    ['a backslash as Apache writes it', String.raw`GET /a\\ HTTP/1.1`, '/a\\'],
    ['a space in the path', 'GET /a b HTTP/1.1', '/a b'],
    ['an absolute URL', 'GET http://example.com/a?b HTTP/1.1', '/a?b'],
    ['an absolute URL without a path', 'GET http://example.com HTTP/1.1', '/'],
    ['bytes that are no text', String.raw`GET /\xFF\xFE HTTP/1.1`, '/\u00ff\u00fe'],
  ])('reads %s in the request', (_, request, url) => {
    expect(read('combined', line(request))).toMatchObject({ method: 'GET', url, status: 200, hasReached: true });
  });

  it.each([
    ['bytes of TLS', String.raw`\x16\x03\x01\x02\x00\x01\x00\x01\xFC`],
    ['nothing', ''],
    ['nothing, as a dash', '-'],
    ['a method that nobody knows', 'GIMME / HTTP/1.1'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0 x'],
  ])('takes %s for no request', (_, request) => {
    expect(read('combined', line(request))).toMatchObject({ method: '', hasReached: false });
  });

  it.each([
    ['a space', 'Jane Doe'],
    ['the text that follows it', 'Jane [Doe] - [x'],
    ['a quote', 'Jane "Doe"'],
    ['something like a time', 'Jane [22/Nov/2026:19:00:44 +0000] x'],
  ])('reads the name of a user with %s', (_, user) => {
    expect(read('combined', line('GET / HTTP/1.1', user))).toMatchObject({ url: '/', user, status: 200 });
  });

  it.each([
    ['cut in the middle', '203.0.113.9 - - [22/Nov/2026:19:00:44 +0000] "GET /v1'],
    ['of another program', 'Nov 22 19:00:44 host sshd[1]: Accepted publickey'],
    ['with a wrong time', line('GET / HTTP/1.1').replace('Nov', 'Nox')],
    ['with a status that is no number', line('GET / HTTP/1.1').replace(' 200 ', ' abc ')],
    ['of nothing but quotes', '"'.repeat(10_000)],
    ['of nothing but spaces and brackets', ' ['.repeat(10_000)],
  ])('does not read a line %s', (_, text) => {
    expect(read('combined', text)).toBeUndefined();
  });
});

describe('a log_format', () => {
  it('is read as it stands in nginx.conf', () => {
    const directive = `log_format timed '$remote_addr $msec $request_time '
      '"$request" $status "$http_user_agent"';`;
    expect(read(directive, '203.0.113.9 1795374044.250 0.250 "GET /a HTTP/1.1" 204 "x"')).toMatchObject({
      at: '2026-11-22T19:00:44.000Z',
      url: '/a',
      status: 204,
      agent: 'x',
      isExact: true,
    });
  });

  it('may be JSON', () => {
    const format = `escape=json '{"t":"$time_iso8601","a":"$remote_addr","m":"$request_method","u":"$request_uri","s":$status,"agent":"$http_user_agent"}'`;
    const text = String.raw`{"t":"2026-11-22T19:00:44+00:00","a":"2001:db8::1","m":"POST","u":"/a?b=\"c\"","s":201,"agent":"\u0001\\ \"x\", \"s\":5"}`;
    expect(read(format, text)).toMatchObject({
      at: '2026-11-22T19:00:44.000Z',
      ip: '2001:db8::1',
      method: 'POST',
      url: '/a?b="c"',
      agent: '\u0001\\ "x", "s":5',
    });
  });

  it('tells which requests the proxy answered alone', () => {
    const format = '$remote_addr [$time_local] "$request" $status $upstream_addr';
    const text = '203.0.113.9 [22/Nov/2026:19:00:44 +0000] "GET / HTTP/1.1" 200';
    expect(read(format, `${text} 127.0.0.1:3000`)?.hasReached).toBe(true);
    expect(read(format, `${text} -`)?.hasReached).toBe(false);
  });

  it.each([
    ['a time beyond all years', '99999999999999999999.123 0.001'],
    ['a request that began before 1970', '1795374044.123 1795374045.000'],
  ])('%s is no line of a log', (_, times) => {
    const read = logFormat('$msec $request_time "$request"').reader({ headers: [], values: [] });
    expect(read(`${times} "GET / HTTP/1.1"`)).toBeUndefined();
  });

  it.each([
    ['', /no log format/],
    ['combind', /use json, vhost_combined, combined/],
    ['$remote_addr "$request"', /has no time: add \$msec/],
    ['$remote_addr [$time_local]', /has no request: add "\$request"/],
    ['$remote_addr$time_local "$request"', /nothing tells where \$remote_addr ends/],
  ])('%j is refused with a cure', (format, message) => {
    expect(() => logFormat(format)).toThrow(message);
  });
});

describe('the format of a log', () => {
  const common = '203.0.113.9 - - [22/Nov/2026:19:00:44 +0000] "GET / HTTP/1.1" 200 612';
  it.each([
    ['combined', line('GET / HTTP/1.1')],
    ['common', common],
    ['vhost_combined', `example.com:443 ${line('GET / HTTP/1.1')}`],
    ['json', '{"time":1795374044250,"method":"GET","url":"/","status":200}'],
  ])('%s is known by its look', (name, text) => {
    expect(detectFormat(['\\x16\\x03', text, text])?.name).toBe(name);
  });

  it('is not known for other text', () => {
    expect(detectFormat(['Nov 22 19:00:44 host sshd[1]: Accepted'])).toBeUndefined();
  });
});
