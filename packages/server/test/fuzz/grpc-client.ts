import { type ClientHttp2Session, connect } from 'node:http2';

/** A call as bytes. */
export interface FuzzedCall {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Sends calls over HTTP/2 that a client of gRPC would not make. */
export class GrpcClient {
  readonly #port: number;
  #session: ClientHttp2Session | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Resolves with the status of gRPC, with that of HTTP if there is none, or with undefined for a call that was cut off. */
  call({ path, fields, bytes }: FuzzedCall): Promise<string | undefined> {
    const session = this.#open();
    return new Promise((resolve) => {
      let status: string | undefined;
      const stream = session.request({ ':method': 'POST', ':path': path, te: 'trailers', ...fields });
      stream.on('response', (headers) => {
        status = String(headers['grpc-status'] ?? `HTTP ${headers[':status']}`);
      });
      stream.on('trailers', (trailers) => {
        if (trailers['grpc-status'] !== undefined) status = String(trailers['grpc-status']);
      });
      stream.on('error', () => {});
      stream.on('close', () => resolve(status));
      stream.resume();
      stream.end(bytes);
    });
  }

  close(): void {
    this.#session?.destroy();
  }

  #open(): ClientHttp2Session {
    if (this.#session && !this.#session.destroyed && !this.#session.closed) return this.#session;
    const session = connect(`http://127.0.0.1:${this.#port}`);
    session.on('error', () => {});
    this.#session = session;
    return session;
  }
}
