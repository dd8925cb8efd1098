// Serves functions of fetch without a network: the client of the suite calls them. A Worker cannot listen.

import { nextTurn } from '@sluice/conformance/src/adapter-suite/next-turn';

/** Why a test cannot be run that writes bytes of its own to a connection. */
export const NO_CONNECTION = 'without a network, there is no connection to write to';

/** From the port of a URL to the function that is served there. */
const served = new Map();

/** Not 80, which a URL does not show. */
const FIRST_PORT = 3000;

export async function serveFetch(fetch) {
  const port = FIRST_PORT + served.size;
  served.set(String(port), fetch);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      served.set(String(port), undefined);
    },
  };
}

/** The client of the suite, without a network. */
export class Client {
  #url;

  constructor(url) {
    this.#url = new URL(url);
  }

  begin(method, path, headers = {}) {
    const leaving = new AbortController();
    const request = new Request(new URL(path, this.#url), { method, headers, signal: leaving.signal });
    const answer = this.#answerTo(request);
    // A client that has left ignores the response.
    answer.catch(() => {});
    return { answer, leave: () => leaving.abort(new Error('the client has left')) };
  }

  async #answerTo(request) {
    // Each request comes in a turn of its own, as from a network.
    await nextTurn();
    const response = await served.get(this.#url.port)(request, {
      incoming: { socket: { remoteAddress: '127.0.0.1' } },
    });
    const body = await response.text();
    const cookies = response.headers.getSetCookie();
    const headers = {
      // A server tells the length of what it sends, and sends nothing after a HEAD.
      ...(request.method !== 'HEAD' && { 'content-length': String(new TextEncoder().encode(body).length) }),
      ...Object.fromEntries(response.headers),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    };
    return { status: response.status, headers, body: request.method === 'HEAD' ? '' : body };
  }

  write() {
    throw new Error(NO_CONNECTION);
  }

  close() {}
}
