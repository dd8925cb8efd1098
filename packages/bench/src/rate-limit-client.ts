import { createRequire } from 'node:module';
import { Client, credentials } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

interface Method {
  readonly path: string;
  requestSerialize(request: object): Buffer;
  responseDeserialize(bytes: Buffer): object;
}

/** What Envoy asks, and what it is told. */
export const PROTOCOL = createRequire(import.meta.url).resolve('@sluice/server/proto/rls.proto');

/** An answer, with fields that nobody here reads. */
interface RateLimitAnswer {
  readonly overallCode: 'OK' | 'OVER_LIMIT';
}

/** Asks the service as Envoy does, over one connection. */
export class RateLimitClient {
  readonly #client: Client;
  readonly #method: Method;

  constructor(port: number) {
    const services = loadSync(PROTOCOL, { enums: String })['envoy.service.ratelimit.v3.RateLimitService'];
    this.#method = (services as unknown as Record<string, Method>).ShouldRateLimit as Method;
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  }

  /** Resolves with the whole answer. */
  ask(policy: string, address: string): Promise<RateLimitAnswer> {
    const { path, requestSerialize, responseDeserialize } = this.#method;
    const request = { domain: policy, descriptors: [{ entries: [{ key: 'remote_address', value: address }] }] };
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, answer) => {
        if (error) reject(error);
        else resolve(answer as RateLimitAnswer);
      });
    });
  }

  close(): void {
    this.#client.close();
  }
}
