import { type handleServerStreamingCall, type handleUnaryCall, type ServerWritableStream, status } from '@grpc/grpc-js';
import type { Readiness } from '../readiness.js';
import {
  HEALTH_SERVICE,
  type HealthCheckRequest,
  type HealthCheckResponse,
  RATE_LIMIT_SERVICE,
  type Received,
  SERVING_STATUSES,
  UNREADABLE,
} from './protocol.js';

/** The services that have a health. The empty name is the whole server. */
const NAMES: ReadonlySet<string> = new Set(['', RATE_LIMIT_SERVICE, HEALTH_SERVICE]);

type Request = Received<HealthCheckRequest>;
type Watcher = ServerWritableStream<Request, HealthCheckResponse>;

/** `grpc.health.v1.Health`: tells whether this instance wants requests. A lost store does not change it. */
export class HealthService {
  readonly #readiness: Readiness;
  readonly #watchers = new Set<Watcher>();
  /** Those who watch a service that is not here. The protocol keeps their streams open. */
  readonly #unknown = new Set<Watcher>();
  readonly #stop: () => void;

  constructor(readiness: Readiness) {
    this.#readiness = readiness;
    this.#stop = readiness.onChange(() => {
      for (const watcher of this.#watchers) watcher.write(this.#response);
    });
  }

  readonly check: handleUnaryCall<Request, HealthCheckResponse> = ({ request }, callback) => {
    if (isKnown(request)) callback(null, this.#response);
    else callback({ code: status.NOT_FOUND, details: 'the service is not known here' });
  };

  /** Sends the health now, and each time it changes. */
  readonly watch: handleServerStreamingCall<Request, HealthCheckResponse> = (watcher) => {
    const isUnknown = !isKnown(watcher.request);
    watcher.write(isUnknown ? { status: SERVING_STATUSES.SERVICE_UNKNOWN } : this.#response);
    const watchers = isUnknown ? this.#unknown : this.#watchers;
    watchers.add(watcher);
    watcher.on('cancelled', () => watchers.delete(watcher));
  };

  /** Ends the streams of all watchers, which would keep their connections open. */
  endWatching(): void {
    for (const watchers of [this.#watchers, this.#unknown]) {
      for (const watcher of watchers) watcher.end();
      watchers.clear();
    }
  }

  /** Ends all streams, and no longer follows the readiness. */
  close(): void {
    this.#stop();
    this.endWatching();
  }

  get #response(): HealthCheckResponse {
    return { status: this.#readiness.isReady ? SERVING_STATUSES.SERVING : SERVING_STATUSES.NOT_SERVING };
  }
}

function isKnown(request: Request): boolean {
  return request !== UNREADABLE && NAMES.has(request.service ?? '');
}
