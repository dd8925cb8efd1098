import { once } from 'node:events';
import autocannon, { type Request, type Result } from 'autocannon';
/** A request of a client. Default: GET of the root. */
export type HttpLoadRequest = Request;

export interface HttpLoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly requests: number;
  /** The first of the clients, whose requests come in turn. */
  readonly firstClient: number;
  readonly clients: number;
  /** Makes the request of a client. */
  readonly requestOf: (client: number) => HttpLoadRequest;
}

export interface HttpLoad {
  readonly requests: number;
  readonly perSecond: number;
  /** Of all answers: one, or there is something wrong. */
  readonly statuses: readonly number[];
}

const SAMPLE_MS = 50;

/** This many requests, each of the next client, over connections that stay. */
export async function httpLoad(options: HttpLoadOptions): Promise<HttpLoad> {
  const { port, connections, requests: amount, firstClient, clients, requestOf } = options;
  const each = Math.ceil(amount / connections);
  let connection = 0;
  const startMs = performance.now();
  let endMs = startMs;
  const run = autocannon(
    {
      url: `http://127.0.0.1:${port}`,
      connections,
      amount,
      sampleInt: SAMPLE_MS,
      setupClient(client) {
        const first = firstClient + connection * each;
        connection += 1;
        client.setRequests(Array.from({ length: each }, (_, i) => requestOf((first + i) % clients)));
      },
    },
    () => {},
  );
  // It looks only now and then whether it has all answers.
  run.on('response', () => {
    endMs = performance.now();
  });
  const [{ statusCodeStats = {}, errors }] = (await once(run, 'done')) as [Result];
  const seconds = (endMs - startMs) / 1_000;
  if (errors > 0) throw new Error(`${errors} of ${amount} requests got no answer`);
  return { requests: amount, perSecond: amount / seconds, statuses: Object.keys(statusCodeStats).map(Number) };
}
