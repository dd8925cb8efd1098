import { join } from 'node:path';
import { Client, type ClientReadableStream, credentials, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

interface Method {
  readonly path: string;
  requestSerialize(request: object): Buffer;
  responseDeserialize(bytes: Buffer): { readonly status: string };
}

const { Check, Watch } = loadSync(join(__dirname, '../../proto/health.proto'), { enums: String, defaults: true })[
  'grpc.health.v1.Health'
] as unknown as Record<'Check' | 'Watch', Method>;

/** A client of the health checks of gRPC. */
export class HealthClient {
  readonly #client: Client;

  constructor(port: number) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  }

  check(service = ''): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        Check.path,
        Check.requestSerialize,
        Check.responseDeserialize,
        { service },
        (error: ServiceError | null, response) => (error ? reject(error) : resolve(response?.status ?? '')),
      );
    });
  }

  /** The statuses of a watch, as they come, and a promise of its end. */
  watch(service = ''): { readonly statuses: AsyncIterator<{ readonly status: string }>; readonly stream: Stream } {
    const { path, requestSerialize, responseDeserialize } = Watch;
    const stream = this.#client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { service });
    return { statuses: stream[Symbol.asyncIterator](), stream };
  }

  close(): void {
    this.#client.close();
  }
}

type Stream = ClientReadableStream<{ readonly status: string }>;
