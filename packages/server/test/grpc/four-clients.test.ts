import { afterEach, expect, it } from '@jest/globals';
import { startNginx } from '@sluice/test-kit/debian/balancers';
import { startJson } from '../descriptors/json-server.js';
import { isNewer, type JsonAnswer, jsonAnswer, objectOf } from './answers.js';
import { OfficialClient } from './official-client.js';
import { PythonClient } from './python-client.js';
import { POLICIES, type RandomRequest, randomRequests } from './random-requests.js';
import { startGrpc } from './test-server.js';

const isFull = process.env.SLUICE_RLS === 'full';
const COUNT = isFull ? 1000 : 25;

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Ask = (request: RandomRequest['request']) => Promise<JsonAnswer>;

/** Each asks a service of its own, so that all get the same answers. */
const CLIENTS: Readonly<Record<string, (server: Awaited<ReturnType<typeof startGrpc>>) => Promise<Ask>>> = {
  'grpc-js': async ({ port }) => official(port),
  'grpc-js behind nginx': async ({ port }) => {
    const nginx = await startNginx(
      (own) => `server { listen 127.0.0.1:${own.port} http2; location / { grpc_pass grpc://127.0.0.1:${port}; } }`,
    );
    ends.unshift(() => nginx.stop());
    return official(nginx.port);
  },
  Python: async ({ port }) => {
    const client = new PythonClient(port);
    ends.unshift(() => client.close());
    return (request) => client.call(request);
  },
  'POST /json': async ({ service }) => {
    const { post, stop } = await startJson({ service });
    ends.unshift(stop);
    return async (request) => (await (await post(request)).json()) as JsonAnswer;
  },
};

function official(port: number): Ask {
  const client = new OfficialClient(port);
  ends.unshift(() => client.close());
  return async (request) => jsonAnswer(await client.call(objectOf(request)));
}

it('gives the same answers to all clients: grpc-js, Python, through nginx, and POST /json', async () => {
  const sides = await Promise.all(
    Object.entries(CLIENTS).map(async ([name, start]) => {
      const server = await startGrpc(POLICIES);
      ends.push(server.stop);
      return { name, clock: server.clock, ask: await start(server) };
    }),
  );
  // Envoy's files of this version have no hits of a single descriptor.
  const requests = randomRequests(COUNT * 4, 7)
    .filter(({ request }) => !isNewer(request))
    .slice(0, COUNT);
  expect(requests).toHaveLength(COUNT);
  const codes = new Set<unknown>();
  for (const [i, { afterMs, request }] of requests.entries()) {
    for (const { clock } of sides) clock.advance(afterMs);
    const answers = await Promise.all(sides.map(({ ask }) => ask(request)));
    const first = answers[0] as JsonAnswer;
    for (const [k, answer] of answers.entries()) {
      expect({ client: sides[k]?.name, i, ...answer }).toEqual({ client: sides[k]?.name, i, ...first });
    }
    codes.add(first.overallCode);
  }
  expect(codes).toEqual(new Set(['OK', 'OVER_LIMIT']));
  if (isFull)
    process.stdout.write(
      `rls: ${COUNT} requests by each of ${sides.map(({ name }) => name).join(', ')}: the same answers\n`,
    );
});
