import type { Dice } from '../../../packages/server/test/fuzz/dice.js';

/** Fields that balancers, services and policies read, or that pretend to be theirs. */
const KNOWN_NAMES = [
  ['X-Api-Key', 'X-Api-Key', 'X-Api-Key', 'X-Api-Key', 'Host', 'Cookie', 'Authorization', 'User-Agent', 'Accept'],
  ['X-Forwarded-For', 'X-Real-IP', 'X-Forwarded-Method', 'X-Forwarded-Uri', 'X-Forwarded-Host', 'Forwarded'],
  ['Sluice-Request-Id', 'Sluice-Status', 'Sluice-Problem', 'RateLimit', 'RateLimit-Policy', 'Retry-After'],
  ['Connection', 'Keep-Alive', 'Proxy-Connection', 'Upgrade', 'TE', 'Trailer', 'Expect', 'Max-Forwards', 'Via'],
  ['Content-Length', 'Transfer-Encoding', 'Content-Type', 'Content-Encoding', 'HTTP2-Settings', 'Early-Data'],
  ['Range', 'If-Range', 'If-Match', 'If-None-Match', 'If-Modified-Since', 'Cache-Control', 'Pragma'],
  ['X-Accel-Redirect', 'X-Accel-Expires', 'X-Accel-Buffering', 'X-Original-URI', 'X-Rewrite-URL', 'X-HTTP-Method'],
] as const;

/** What such fields usually have, which changes what a proxy does. */
const KNOWN_VALUES = [
  [
    'close',
    'keep-alive',
    'upgrade',
    'keep-alive, X-Api-Key',
    'close, X-Real-IP, Sluice-Request-Id',
    'websocket',
    'h2c',
  ],
  ['chunked', 'gzip, chunked', 'identity', '100-continue', 'trailers', '0', '1', '-1', '99999999999999999999'],
  ['no-cache', 'no-store', 'only-if-cached', 'max-age=0', 'max-stale', 'bytes=0-', 'bytes=0-0,5-9', '*', 'W/"1"'],
  ['127.0.0.1', '203.0.113.7', '::1', '203.0.113.7, 127.0.0.1', 'localhost', '127.0.0.1:0', '[::1]:80', '204', '/free'],
] as const;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PURGE', 'PRI', 'get'];

const VERSIONS = [
  'HTTP/1.0',
  'HTTP/1.0',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/9.9',
  'http/1.1',
  'ICY',
];

/** Characters of a text: those of a key, all that may stand in a field, and those that should not. */
const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz0123456789-_',
  Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join(''),
  '"\\%/?#&;:,= \t',
  '\u0080\u00a0\u00c3\u00a9\u00ff',
  '\u0001\u0007\u001b\u007f',
] as const;

/** A second request on the same connection, which a balancer may also take for the body of the first one. */
const SECOND = 'GET /second HTTP/1.1\r\nHost: shop.example\r\n\r\n';

const BODIES = ['0\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n', 'hello', SECOND, `0\r\n\r\n${SECOND}`, `hello${SECOND}`];

/** The parts of a request that a client chooses. */
export interface ClientRequest {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Returns the bytes that a client sends. */
export function bytesOf({ method, target, version, fields, body }: ClientRequest): Buffer {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${target}${version === '' ? '' : ` ${version}`}\r\n${lines}\r\n${body}`, 'latin1');
}

/**
 * Makes a request in which anything may be what nobody expects.
 *
 * @param mostBytes - the length of the longest part; at least what the balancer takes
 */
export function anyRequest(dice: Dice, mostBytes: number): ClientRequest {
  const host = dice.oneIn(8) ? anyText(dice, mostBytes) : 'shop.example';
  const fields: [string, string][] = dice.oneIn(20) ? [] : [['Host', host]];
  for (let left = dice.roll(6); left > 0; left -= 1) {
    const value = dice.oneIn(3) ? dice.pick(dice.pick(KNOWN_VALUES)) : anyText(dice, mostBytes);
    fields.splice(dice.roll(fields.length + 1), 0, [anyName(dice), value]);
  }
  return {
    method: dice.oneIn(2) ? 'GET' : dice.oneIn(8) ? anyText(dice, 80) : dice.pick(METHODS),
    target: anyTarget(dice, mostBytes),
    version: dice.oneIn(6) ? dice.pick(VERSIONS) : 'HTTP/1.1',
    fields,
    body: dice.oneIn(4) ? dice.pick([...BODIES, anyText(dice, 2000)]) : '',
  };
}

function anyName(dice: Dice): string {
  if (!dice.oneIn(5)) return dice.pick(dice.pick(KNOWN_NAMES));
  return dice.oneIn(3) ? anyText(dice, 300) : `X-${anyLetters(dice, ALPHABETS[0], 1 + dice.roll(60))}`;
}

function anyTarget(dice: Dice, mostBytes: number): string {
  if (dice.oneIn(3)) return '/';
  const path = `/${dice.oneIn(2) ? anyText(dice, mostBytes).replaceAll(' ', '%20') : 'orders'}`;
  return dice.pick([
    path,
    path,
    `/orders?q=${path}`,
    `/%${path}`,
    `/${path}/../sluice`,
    `//shop.example${path}`,
    `http://shop.example${path}`,
    `http://user@[::1]:80${path}`,
    'shop.example:443',
    '*',
    '/sluice',
    '/sluice?a',
    '/v1/auth-request/api',
    anyText(dice, 100),
  ]);
}

function anyText(dice: Dice, mostBytes: number): string {
  const alphabet = dice.oneIn(2) ? ALPHABETS[0] : dice.pick(ALPHABETS);
  return anyLetters(dice, alphabet, Math.min(mostBytes, anyLength(dice, mostBytes)));
}

/** Short, or any, or what just fits a buffer beside something else. */
function anyLength(dice: Dice, mostBytes: number): number {
  if (dice.oneIn(2)) return dice.roll(50);
  return dice.oneIn(2) ? dice.roll(mostBytes + 1) : Math.max(0, 512 * 2 ** dice.roll(7) - dice.roll(1500));
}

/** A long text repeats its beginning: a letter of its own for each byte would take longer than the request. */
function anyLetters(dice: Dice, alphabet: string, length: number): string {
  const start = Array.from({ length: Math.min(length, 40) }, () => alphabet[dice.roll(alphabet.length)]).join('');
  return start.repeat(Math.ceil(length / 40)).slice(0, length);
}

/** The parts that a client can make as long as its balancer takes, each in an otherwise usual request. */
export const LONG_PARTS = {
  'the field of the key': (text) => usual({ fields: [['X-Api-Key', text]] }),
  'two fields of the key': (text) =>
    usual({
      fields: [
        ['X-Api-Key', 'k'],
        ['x-api-key', text],
      ],
    }),
  'the path': (text) => usual({ target: `/${text}` }),
  'the query': (text) => usual({ target: `/?${text}` }),
  'the host': (text) => ({ ...usual({}), fields: [['Host', text]] }),
  'the method': (text) => usual({ method: text.toUpperCase() }),
  'a cookie': (text) => usual({ fields: [['Cookie', text]] }),
  'the address of a proxy': (text) => usual({ fields: [['X-Forwarded-For', text]] }),
  'the key and the path': (text) =>
    usual({ target: `/${text.slice(text.length / 2)}`, fields: [['X-Api-Key', text.slice(0, text.length / 2)]] }),
} satisfies Readonly<Record<string, (text: string) => ClientRequest>>;

function usual({ fields = [], ...parts }: Partial<ClientRequest>): ClientRequest {
  const host = ['Host', 'shop.example'] as const;
  return { method: 'GET', target: '/', version: 'HTTP/1.1', body: '', ...parts, fields: [host, ...fields] };
}
