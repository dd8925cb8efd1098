import type { Readiness } from '../readiness.js';
import type { Service } from '../service/service.js';

/** The ports that a server listens on. */
export interface Ports {
  readonly traffic: number;
  readonly grpc: number;
  readonly admin: number;
}

/** A decision service that listens: what `startServer` returns. */
export interface RunningServer {
  readonly ports: Ports;
  readonly service: Service;
  readonly readiness: Readiness;
  /** The file of the tokens that were made at the start, because none was given. */
  readonly tokenFile: string | undefined;
  /**
   * Ends without a failed request: unready at once, answers as before for the drain delay, then tells clients to go, and
   * closes. Resolves when all is closed. A further call is the same drain.
   */
  drain(): Promise<void>;
  /** Resolves when the server has ended, whoever has drained it. */
  readonly ended: Promise<void>;
  /** Ends at once: answers under way are cut off. */
  close(): Promise<void>;
}
