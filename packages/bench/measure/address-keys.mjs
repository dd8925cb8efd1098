// What it costs to count a request by its address, in nanoseconds of the processor: reading the address of the framework under
// each setting of proxies, and making the key of it in each notation, beside what the peers make of it.
//
//   npx tsc -b && node packages/bench/measure/address-keys.mjs [checkout]
//
// With another checkout, which has to be built, the key that it makes is measured in the same rounds.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import express from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import fastify from 'fastify';

const { normalizeIP } = createRequire(import.meta.url)('@fastify/rate-limit');
const [ROUNDS, COUNT] = [15, 6_000];

/** Imports the first of these files that a checkout has: older ones have what adapters share in the core. */
const moduleOf = (checkout, ...files) =>
  import(pathToFileURL(files.map((file) => resolve(checkout, 'packages', file)).find(existsSync)).href);
const here = resolve(import.meta.dirname, '../../..');
const { encodedKeyOfIp, DEFAULT_IPV6_SUBNET } = await moduleOf(here, 'http/dist/esm/keys/ip-key.js');

/** What the compiler must not leave out: all of a key is read, as a store reads it to find its state. */
let read = 0;
const keep = (text) => {
  read += text.length + text.charCodeAt(text.length - 1);
};

async function keyOfCheckout(checkout) {
  const [{ ipKey }, { encodeKey }] = [
    await moduleOf(checkout, 'http/dist/esm/keys/ip-key.js', 'core/dist/esm/http/keys/ip-key.js'),
    await moduleOf(checkout, 'core/dist/esm/values/key.js'),
  ];
  return (text) => encodeKey(ipKey(text));
}

const hex = (number) => (number & 0xffff).toString(16);
const ipv4 = (i) => `198.18.${i >> 8}.${i & 255}`;
const NOTATIONS = {
  IPv4: ipv4,
  'IPv4 after ::ffff:': (i) => `::ffff:${ipv4(i)}`,
  IPv6: (i) => `2001:db8:${hex(i)}:${hex(7 * i)}:1:2:3:${hex(i)}`,
  'IPv6 with ::': (i) => `2001:db8:${hex(i)}::1`,
  'IPv6 with a zone': (i) => `fe80:${hex(i)}::1%eth0`,
  'IPv4 and a port': (i) => `${ipv4(i)}:5678`,
  'no address': (i) => `unknown-${i}`,
};

/** Returns as many new texts, whose hash is not computed yet, as a parser of requests makes them. */
const textsOf = (notation) =>
  Array.from({ length: COUNT }, (_, i) => Buffer.from(notation(i % 10_000), 'latin1').toString('latin1'));

/** Returns the nanoseconds of each subject for each text: the median of rounds in turn. */
function measured(subjects, textsOfRound) {
  const rounds = new Map(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, take] of Object.entries(subjects)) {
      const texts = textsOfRound();
      const started = process.cpuUsage();
      for (const text of texts) keep(take(text));
      const { user, system } = process.cpuUsage(started);
      rounds.get(name).push((1000 * (user + system)) / COUNT);
    }
  }
  return [...rounds].map(([name, ns]) => {
    // The first rounds are for the compiler.
    const sorted = ns.slice(5).sort((a, b) => a - b);
    return `${name} ${sorted[sorted.length >> 1].toFixed(0)} (${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)})`;
  });
}

function print(title, results) {
  console.log(`${title}: ${results.join(', ')}`);
}

const [other] = process.argv.slice(2);
const keys = {
  Sluice: (text) => encodedKeyOfIp(text, DEFAULT_IPV6_SUBNET),
  'Sluice, once more': (text) => encodedKeyOfIp(text, DEFAULT_IPV6_SUBNET),
  ...(other && { 'the other checkout': await keyOfCheckout(other) }),
  'express-rate-limit': (text) => ipKeyGenerator(text),
  '@fastify/rate-limit': (text) => normalizeIP(text),
};
for (const [name, notation] of Object.entries(NOTATIONS))
  print(
    `Key of ${name}, ns`,
    measured(keys, () => textsOf(notation)),
  );

const SETTINGS = {
  'no proxy': false,
  'one range': ['127.0.0.0/8'],
  'four ranges': ['127.0.0.0/8', '10.0.0.0/8', '192.168.0.0/16', 'fc00::/7'],
  'a function': (address) => address === '127.0.0.1',
  'one hop (Express)': 1,
};

function expressRequest(setting) {
  const app = express();
  app.set('trust proxy', setting);
  return Object.assign(Object.create(app.request), { socket: { remoteAddress: '127.0.0.1' }, headers: {} });
}

async function fastifyRequest(setting) {
  const app = fastify({ trustProxy: setting });
  let kept;
  app.get('/', async (request) => {
    kept = request;
    return '';
  });
  await app.inject('/');
  return kept;
}

for (const [name, setting] of Object.entries(SETTINGS)) {
  const [ofExpress, ofFastify] = [expressRequest(setting), await fastifyRequest(setting)];
  const reading =
    (request, { headers }) =>
    (text) => {
      headers['x-forwarded-for'] = text;
      return request.ip;
    };
  const subjects = { Express: reading(ofExpress, ofExpress), Fastify: reading(ofFastify, ofFastify.raw) };
  print(
    `request.ip behind ${name}, ns`,
    measured(subjects, () => textsOf(ipv4)),
  );
}
if (read === 0) throw new Error('Nothing was read');
