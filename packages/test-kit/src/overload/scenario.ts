import type { Priority } from '@sluice/core/load';
import type { DownstreamOptions } from './downstream.js';
import type { Slices } from './processor.js';

/** A part of the work of a request. Times are means: each request draws its own from an exponential distribution. */
export type Step =
  /** In one go on the event loop. */
  | { readonly cpuMs: number }
  /** Waiting for something that has room for everybody. */
  | { readonly ioMs: number }
  /** A call of a downstream, by its name. */
  | { readonly call: string };

export interface Route {
  /** How often it is asked, beside the others. */
  readonly weight: number;
  readonly steps: readonly Step[];
  /** The class of all its requests. Default: they are of all classes. */
  readonly priority?: Priority;
  /** Its name in the results, and its bulkhead. Default: it has none. */
  readonly name?: string;
}

/** A time with a constant load. */
export interface Phase {
  readonly name: string;
  readonly forMs: number;
  /** Requests that arrive each second, independently of each other. */
  readonly perS: number;
  /** What arrives at the beginning of a phase is not counted. Default: 0. */
  readonly settleMs?: number;
  /** By how much the work on the event loop takes longer. Default: 1. */
  readonly cpuSlowness?: number;
  /** By how much the downstreams take longer: all of them, or by their names. Default: 1. */
  readonly downstreamSlowness?: number | Readonly<Record<string, number>>;
}

export interface Scenario {
  readonly routes: readonly Route[];
  readonly downstreams?: Readonly<Record<string, DownstreamOptions>>;
  readonly phases: readonly Phase[];
  /** Which part of the requests is critical, and which low; the others are normal. Default: 0.2 and 0.3. */
  readonly classes?: { readonly critical: number; readonly low: number };
  /** Who sends requests, and how often beside the others. Default: requests are nobody's. */
  readonly tenants?: Readonly<Record<string, number>>;
  /** An answer is good within this time. Default: 500. */
  readonly deadlineMs?: number;
  readonly slices?: Slices;
  /** The processor time of a refusal, besides that of reading the request. Default: 0.05. */
  readonly refuseMs?: number;
  /** The event loop stands still, as during a collection of garbage. */
  readonly pauses?: { readonly everyMs: number; readonly forMs: number };
  /** Who is refused tries again so often, each time after 1 to 3 s. Default: 0. */
  readonly retries?: number;
  /** Clients leave when the time of a good answer has passed. The work for them goes on. Default: false. */
  readonly isImpatient?: boolean;
}
