import type { LoadState, Priority } from '@sluice/core/load';
import type { Phase } from './scenario.js';

/** What happened to some of the clients. */
export interface Count {
  /** Clients, whose retries are not counted again. */
  offered: number;
  /** Clients with an answer in time. */
  good: number;
  /** Requests, retries included. */
  refused: number;
}

/** The state of a guard at one moment. */
export interface Sample extends Pick<LoadState, 'border' | 'limit' | 'inFlight'> {
  readonly atMs: number;
}

/** What happened to the clients that arrived during the phases of one name. */
export class PhaseResult {
  readonly samples: Sample[] = [];
  readonly classes: Readonly<Record<Priority, Count>> = { critical: count(), normal: count(), low: count() };
  readonly #groups = new Map<string, Count>();
  readonly #latenciesMs: number[] = [];
  #lengthMs = 0;

  /** The clients of one tenant, or of one route. */
  of(name: string): Count {
    const known = this.#groups.get(name);
    if (known) return known;
    const made = count();
    this.#groups.set(name, made);
    return made;
  }

  lasts(lengthMs: number): void {
    this.#lengthMs += lengthMs;
  }

  answered(latencyMs: number): void {
    this.#latenciesMs.push(latencyMs);
  }

  /** Good answers each second. */
  get goodPerS(): number {
    return (1000 * this.#total('good')) / this.#lengthMs;
  }

  /** The part of the clients with a good answer. */
  get served(): number {
    return this.#total('good') / this.#total('offered');
  }

  /** The part of the clients with an answer within a time. */
  within(ms: number): number {
    return this.#latenciesMs.filter((latencyMs) => latencyMs <= ms).length / this.#total('offered');
  }

  get criticalServed(): number {
    return this.classes.critical.good / this.classes.critical.offered;
  }

  /** Refused requests for each client. */
  get shed(): number {
    return this.#total('refused') / this.#total('offered');
  }

  /** The mean latency, from arrival to answer; NaN if nothing was answered. */
  get meanMs(): number {
    return this.#latenciesMs.reduce((sum, latencyMs) => sum + latencyMs, 0) / this.#latenciesMs.length;
  }

  /** The latency, from arrival to answer, that 99 of 100 answered requests had at most; NaN if none was answered. */
  get p99Ms(): number {
    const sorted = this.#latenciesMs.sort((a, b) => a - b);
    return sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN;
  }

  /** The median of the limit. */
  get limit(): number {
    const sorted = this.samples.map(({ limit }) => limit).sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? Number.NaN;
  }

  #total(what: keyof Count): number {
    const { critical, normal, low } = this.classes;
    return critical[what] + normal[what] + low[what];
  }
}

function count(): Count {
  return { offered: 0, good: 0, refused: 0 };
}

/** The results of the phases, by their names. */
export class Measurement {
  readonly #spans: { readonly startMs: number; readonly endMs: number; readonly result: PhaseResult }[] = [];
  readonly results: Readonly<Record<string, PhaseResult>>;

  constructor(phases: readonly Phase[]) {
    this.results = Object.fromEntries(phases.map(({ name }) => [name, new PhaseResult()]));
    let endMs = 0;
    for (const { name, forMs, settleMs = 0 } of phases) {
      const startMs = endMs + settleMs;
      endMs += forMs;
      const result = this.results[name] as PhaseResult;
      result.lasts(endMs - startMs);
      this.#spans.push({ startMs, endMs, result });
    }
  }

  /** Where what begins now is counted; undefined while a phase settles. */
  at(nowMs: number): PhaseResult | undefined {
    return this.#spans.find(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs)?.result;
  }
}
