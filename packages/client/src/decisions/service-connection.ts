import { type ClientRequest, Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { SluiceError } from '@sluice/core';
import type { SentCall } from '@sluice/core/store';

/** More answers than this at the same time wait for each other. */
const MOST_CONNECTIONS = 64;

/** An answer that is longer is none of the decision service. */
const MOST_BYTES = 8_388_608;

/** An answer of the service. */
export interface ServiceResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * The connections to a decision service. They stay open between calls. It uses `node:http`, which takes a sixth of the processor
 * time of `fetch` for a call of this size.
 */
export class ServiceConnection {
  /** The address without its query and its credentials, for messages. */
  readonly address: string;
  readonly #base: string;
  readonly #options: RequestOptions;
  readonly #agent: HttpAgent;
  readonly #send: typeof requestHttp;

  constructor(url: URL, token: string | undefined) {
    const isSecure = url.protocol === 'https:';
    const options = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
    this.#agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
    this.#send = isSecure ? requestHttps : requestHttp;
    this.#base = url.pathname.replace(/\/*$/, '');
    this.address = `${url.origin}${this.#base}`;
    this.#options = {
      agent: this.#agent,
      method: 'POST',
      protocol: url.protocol,
      // Brackets are no part of an IPv6 address.
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port || (isSecure ? 443 : 80),
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
    };
  }

  /**
   * Sends a call. If the connection breaks, it is sent once more: the service may have closed a connection that was idle. So a
   * call must be one that counts once, however often it comes.
   */
  post(path: string, body: string): SentCall<ServiceResponse> {
    let isAbandoned = false;
    let current: ClientRequest;
    const attempt = (): Promise<ServiceResponse> =>
      new Promise((resolve, reject) => {
        current = this.#begin(path, body, resolve, reject);
      });
    const answer = attempt().catch((error) => {
      if (isAbandoned || error instanceof SluiceError) throw error;
      return attempt();
    });
    return {
      answer: answer.catch((cause) => {
        throw cause instanceof SluiceError ? cause : this.failure(`cannot be reached: ${reasonOf(cause)}`, cause);
      }),
      abandon() {
        isAbandoned = true;
        current.destroy();
      },
    };
  }

  /** The error for an answer, or a missing one, that decides nothing. */
  failure(what: string, cause?: unknown): SluiceError {
    const message = `the decision service ${this.address} ${what}`;
    return new SluiceError('SLUICE_STORE', message, cause === undefined ? {} : { cause });
  }

  /** Closes the connections. Calls that are under way fail. */
  close(): void {
    this.#agent.destroy();
  }

  #begin(
    path: string,
    body: string,
    resolve: (response: ServiceResponse) => void,
    reject: (error: unknown) => void,
  ): ClientRequest {
    const request = this.#send({ ...this.#options, path: `${this.#base}${path}` }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= MOST_BYTES) chunks.push(chunk);
        else request.destroy(this.failure(`answered with more than ${MOST_BYTES} bytes`));
      });
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode as number, text });
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    // `end` with the whole body also sets its length.
    request.end(body);
    return request;
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
  return String(message || code);
}
