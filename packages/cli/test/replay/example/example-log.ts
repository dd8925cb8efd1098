import { seededRandom } from '../../../../test-kit/src/seeded-random.js';

/** The log_format of the example: combined, with the key that customers send. */
export const EXAMPLE_FORMAT =
  '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_api_key"';

const START_MS = Date.UTC(2026, 10, 21, 8);
const MINUTES = 240;

interface Sent {
  readonly atMs: number;
  readonly ip: string;
  readonly request: string;
  readonly status: number;
  readonly key?: string;
}

/** Who sends how many requests a minute, by the minute since the start. */
interface Client {
  readonly key?: string;
  readonly ip: (random: () => number) => string;
  readonly request: (random: () => number) => string;
  readonly perMinute: (minute: number) => number;
}

const get = (random: () => number): string => `GET /v1/items/${Math.floor(random() * 500)} HTTP/1.1`;
const login = (): string => 'POST /login HTTP/1.1';
const at = (address: string) => (): string => address;

/** More in the middle of the day than at its ends. */
const daily = (most: number) => (minute: number) => most * (0.4 + 0.6 * Math.sin((Math.PI * minute) / MINUTES));

const CLIENTS: readonly Client[] = [
  { key: 'acme', ip: at('198.51.100.7'), request: get, perMinute: daily(130) },
  { key: 'globex', ip: at('198.51.100.20'), request: get, perMinute: daily(60) },
  { key: 'initech', ip: at('198.51.100.31'), request: get, perMinute: daily(95) },
  { key: 'hooli', ip: at('203.0.113.9'), request: get, perMinute: daily(72) },
  // A job at the beginning of each half hour.
  { key: 'umbrella', ip: at('203.0.113.77'), request: get, perMinute: (minute) => (minute % 30 < 2 ? 190 : 3) },
  { key: 'mallory', ip: at('192.0.2.66'), request: get, perMinute: () => 12 },
  // People without a key, from many addresses, and from one office behind a single address.
  {
    ip: (random) => `10.${Math.floor(random() * 12)}.${Math.floor(random() * 200)}.4`,
    request: get,
    perMinute: daily(80),
  },
  { ip: at('192.0.2.200'), request: get, perMinute: daily(55) },
  { ip: (random) => `10.20.${Math.floor(random() * 200)}.9`, request: login, perMinute: daily(4) },
  // Somebody tries passwords for a quarter of an hour.
  {
    ip: (random) => `192.0.2.${10 + Math.floor(random() * 4)}`,
    request: login,
    perMinute: (minute) => (minute >= 130 && minute < 145 ? 160 : 0),
  },
];

/** Lines that real servers of the internet get. */
const HOSTILE = [
  String.raw`192.0.2.99 - - [21/Nov/2026:09:13:07 +0000] "\x16\x03\x01\x02\x00\x01\xFC\x03\x03" 400 157 "-" "-" "-"`,
  '192.0.2.99 - - [21/Nov/2026:09:13:08 +0000] "" 400 0 "-" "-" "-"',
  String.raw`192.0.2.98 - - [21/Nov/2026:10:01:44 +0000] "GET /v1/items/1\x22; HTTP/1.1" 404 153 "-" "\x22quoted\x22 \x5C agent" "-"`,
  '192.0.2.97 - - [21/Nov/2026:10:44:02 +0000] "GET /v1/item',
];

/** Makes the lines of four hours, or of their first minutes, the same each time. */
export function exampleLog(minutes = MINUTES): string[] {
  const random = seededRandom(14);
  const sent = CLIENTS.flatMap((client) => requestsOf(client, minutes, random)).sort((a, b) => a.atMs - b.atMs);
  const lines = sent.map(({ atMs, ip, request, status, key = '-' }) => {
    return `${ip} - - [${localTime(atMs)}] "${request}" ${status} 612 "-" "curl/8.5.0" "${key}"`;
  });
  for (const line of HOSTILE) {
    const minute = line.slice(line.indexOf('['), line.lastIndexOf(':', line.indexOf(']')));
    const place = lines.findIndex((other) => other.includes(minute));
    if (place >= 0) lines.splice(place, 0, line);
  }
  return lines;
}

function requestsOf({ key, ip, request, perMinute }: Client, minutes: number, random: () => number): Sent[] {
  const sent: Sent[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    const count = Math.floor(perMinute(minute) * (0.8 + 0.4 * random()) + random());
    for (let i = 0; i < count; i += 1) {
      const atMs = START_MS + minute * 60_000 + Math.floor(random() * 60_000);
      const status = random() < 0.03 ? (random() < 0.5 ? 404 : 500) : 200;
      sent.push({ atMs, ip: ip(random), request: request(random), status, ...(key !== undefined && { key }) });
    }
  }
  return sent;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns a time as nginx writes it, in UTC. */
export function localTime(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}`;
  return `${day}:${date.toISOString().slice(11, 19)} +0000`;
}
