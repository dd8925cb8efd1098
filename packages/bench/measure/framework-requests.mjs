// What limiting adds to a request of a framework, in microseconds of the processor, without a network: Node's own requests and
// responses over a connection that takes all and sends nothing. It shows differences that the network hides.
//
//   npx tsc -b && node packages/bench/measure/framework-requests.mjs Express|Fastify|'Nest on Express'|'Nest on Fastify' allowed|refused [checkout]
//
// The servers are those of the bench. Clients are told apart by address behind a trusted proxy. Each contender has a process of
// its own, which answers requests for some seconds before it is measured, until the compiler has finished. Then they take
// turns. With another checkout, which has to be built, its Sluice is measured in the same rounds.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { IncomingMessage, Server, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { Duplex } from 'node:stream';
import { pathToFileURL } from 'node:url';

const [ROUNDS, CLIENTS, WARM_UP_MS, ROUND_MS] = [21, 10_000, 4_000, 120];
const here = resolve(import.meta.dirname, '../../..');
const [host, outcome, checkout = here, contender] = process.argv.slice(2);
const quota = { limit: outcome === 'allowed' ? 1_000_000_000 : 1, windowMs: 3_600_000 };

/** What each process serves, and of which checkout. */
const CONTENDERS = {
  bare: ['bare route', here],
  'Map counter, same fields': ['bare Map counter', here],
  peer: ['peer', here],
  Sluice: ['Sluice', here],
  'Sluice, once more': ['Sluice', here],
  'other checkout': ['Sluice', checkout],
};

/** Takes all, and sends nothing. */
class Connection extends Duplex {
  remoteAddress = '127.0.0.1';
  _read() {}
  _write(_chunk, _encoding, done) {
    done();
  }
  _writev(_chunks, done) {
    done();
  }
}

/** Starts a server of the bench, and returns it. */
async function serverOf([variant, from]) {
  const { HOSTS } = await import(pathToFileURL(resolve(from, 'packages/bench/dist/contenders/http/index.js')).href);
  let server;
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    server = this;
    return listen.apply(this, args);
  };
  const serve = await HOSTS.get(host).serve();
  await serve(variant, quota, 'address');
  return server;
}

/** Resolves when the request of a client is answered. */
function answered(server, connection, client) {
  return new Promise((done) => {
    const req = new IncomingMessage(connection);
    const address = `198.18.${client >> 8}.${client & 255}`;
    const rawHeaders = ['host', 'bench', 'x-forwarded-for', address];
    Object.assign(req, { method: 'GET', url: '/', rawHeaders, httpVersionMajor: 1, httpVersionMinor: 1 });
    req.headers = { host: 'bench', 'x-forwarded-for': address };
    req.push(null);
    const res = new ServerResponse(req);
    res.assignSocket(connection);
    res.on('finish', () => {
      res.detachSocket(connection);
      done();
    });
    server.emit('request', req, res);
  });
}

/** Answers requests until it is told to end. Tells the microseconds of the processor for each request of a round. */
async function measured() {
  const server = await serverOf(CONTENDERS[contender]);
  const connection = new Connection();
  let client = 0;
  const round = async (ms) => {
    const endMs = performance.now() + ms;
    const started = process.cpuUsage();
    let count = 0;
    for (; performance.now() < endMs; count += 1) {
      client = (client + 1) % CLIENTS;
      await answered(server, connection, client);
    }
    const { user, system } = process.cpuUsage(started);
    return (user + system) / count;
  };
  await round(WARM_UP_MS);
  if (!process.send) return console.log(await round(20 * ROUND_MS));
  process.on('message', async () => process.send(await round(ROUND_MS)));
  process.send('warm');
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

async function compare() {
  const names = Object.keys(CONTENDERS).filter((name) => name !== 'other checkout' || checkout !== here);
  const children = new Map();
  const rounds = new Map(names.map((name) => [name, []]));
  for (const name of names) {
    const child = fork(import.meta.filename, [host, outcome, checkout, name]);
    await once(child, 'message');
    children.set(name, child);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, child] of children) {
      child.send('round');
      rounds.get(name).push((await once(child, 'message'))[0]);
    }
  }
  for (const child of children.values()) child.kill();
  const bare = rounds.get('bare');
  for (const [name, values] of rounds) {
    const more = values.map((value, i) => value - bare[i]).sort((a, b) => a - b);
    const [least, most] = [more[ROUNDS >> 2], more[ROUNDS - 1 - (ROUNDS >> 2)]].map((value) => value.toFixed(2));
    const middle = median(more).toFixed(2);
    console.log(`${name.padEnd(26)} ${median(values).toFixed(2)} µs, ${middle} (${least} to ${most}) more than bare`);
  }
}

if (contender) await measured();
else {
  await compare();
  process.exit();
}
