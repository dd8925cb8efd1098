import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import type { HttpLoad, HttpLoadOptions, HttpLoadRequest } from './http-load.js';

/** Requests under way share a session, as those of a browser do. */
const REQUESTS_OF_SESSION = 10;

/** The same over HTTP/2: `connections` is how many requests are under way. */
export async function http2Load(options: HttpLoadOptions): Promise<HttpLoad> {
  const { port, connections, requests, firstClient, clients, requestOf } = options;
  const sessions = Array.from({ length: Math.ceil(connections / REQUESTS_OF_SESSION) }, () =>
    connect(`http://127.0.0.1:${port}`),
  );
  const statuses = new Set<number>();
  let asked = 0;
  const caller = async (session: ClientHttp2Session): Promise<void> => {
    while (asked < requests) {
      const client = (firstClient + asked) % clients;
      asked += 1;
      statuses.add(await statusOf(session, requestOf(client).headers));
    }
  };
  const startMs = performance.now();
  try {
    await Promise.all(
      Array.from({ length: connections }, (_, i) => caller(sessions[i % sessions.length] as ClientHttp2Session)),
    );
    const seconds = (performance.now() - startMs) / 1_000;
    return { requests, perSecond: requests / seconds, statuses: [...statuses] };
  } finally {
    for (const session of sessions) session.close();
  }
}

async function statusOf(session: ClientHttp2Session, headers: HttpLoadRequest['headers']): Promise<number> {
  const stream = session.request({ ...headers, ':path': '/' });
  const [[answer]] = (await Promise.all([once(stream, 'response'), once(stream.resume(), 'end')])) as unknown as [
    [IncomingHttpHeaders & IncomingHttpStatusHeader],
  ];
  return Number(answer[':status']);
}
