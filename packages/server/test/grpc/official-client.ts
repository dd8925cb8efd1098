import { dirname, join } from 'node:path';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const DEPS = join(dirname(require.resolve('@grpc/grpc-js-xds/package.json')), 'deps');

/** The folders of Envoy's published protocol files, and of those that they import. */
export const OFFICIAL_PROTOS = ['envoy-api', 'xds', 'protoc-gen-validate', 'googleapis'].map((name) =>
  join(DEPS, name),
);

const { ShouldRateLimit } = loadSync('envoy/service/ratelimit/v3/rls.proto', {
  includeDirs: OFFICIAL_PROTOS,
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
})['envoy.service.ratelimit.v3.RateLimitService'] as Record<string, Method>;

/** The hits of a single descriptor are newer than these files, so such a request is written by our own. */
const newer = loadSync(join(__dirname, '../../proto/rls.proto'), { keepCase: true, longs: Number })[
  'envoy.service.ratelimit.v3.RateLimitService'
] as Record<string, Method>;

interface Method {
  readonly path: string;
  requestSerialize(request: object): Buffer;
  responseDeserialize(bytes: Buffer): object;
}

/** An answer, as Envoy's protocol files have it. */
export interface OfficialResponse {
  readonly overall_code: string;
  readonly statuses: readonly {
    readonly code: string;
    readonly current_limit: { readonly requests_per_unit: number; readonly unit: string; readonly name: string } | null;
    readonly limit_remaining: number;
    readonly duration_until_reset: { readonly seconds: number; readonly nanos: number } | null;
  }[];
  readonly response_headers_to_add: readonly { readonly key: string; readonly value: string }[];
  readonly raw_body: Buffer;
  readonly dynamic_metadata: object | null;
}

/** How the call of a test differs from others. */
export interface CallOptions {
  readonly metadata?: Readonly<Record<string, string>>;
  /** Whether a descriptor has fields that Envoy's older files do not know. */
  readonly isNewer?: boolean;
  /** The bytes to send in place of the request. */
  readonly bytes?: Buffer;
}

/** A client of Envoy's rate limit service, made of its published protocol files. */
export class OfficialClient {
  readonly client: Client;

  /** @param server - its port on this machine, or the client that reaches it */
  constructor(server: number | Client) {
    this.client = typeof server === 'number' ? new Client(`127.0.0.1:${server}`, credentials.createInsecure()) : server;
  }

  call(request: object, { metadata = {}, isNewer = false, bytes }: CallOptions = {}): Promise<OfficialResponse> {
    const { path, responseDeserialize } = ShouldRateLimit as Method;
    const { requestSerialize } = isNewer ? (newer.ShouldRateLimit as Method) : (ShouldRateLimit as Method);
    const sent = new Metadata();
    for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        (message: object) => bytes ?? requestSerialize(message),
        responseDeserialize as (bytes: Buffer) => OfficialResponse,
        request,
        sent,
        { deadline: Date.now() + 30_000 },
        (error: ServiceError | null, response) => (error ? reject(error) : resolve(response as OfficialResponse)),
      );
    });
  }

  close(): void {
    this.client.close();
  }
}

/** Writes descriptors briefly: `[{ remote_address: '192.0.2.1' }]`. */
export function descriptorsOf(...descriptors: Readonly<Record<string, string>>[]): object[] {
  return descriptors.map((entries) => ({
    entries: Object.entries(entries).map(([key, value]) => ({ key, value })),
  }));
}

/** The fields of an answer by name. */
export function fieldsOf({ response_headers_to_add }: OfficialResponse): Record<string, string> {
  return Object.fromEntries(response_headers_to_add.map(({ key, value }) => [key, value]));
}
