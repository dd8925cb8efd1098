import type { Priority } from '@sluice/core/load';

/** An answer within this time after the scheduled time of its request is a good one. */
const GOOD_MS = 500;

/** An answer within this time is a soon one. */
const SOON_MS = 250;

/** Clients leave after this time. */
export const PATIENCE_MS = 2_000;

/** What became of a request. */
export type Fate = 'served' | 'shed' | 'failed';

export interface Answered {
  readonly priority: Priority;
  readonly fate: Fate;
  /** From the time at which the schedule wanted it sent, to the answer; PATIENCE_MS if there was none. */
  readonly latencyMs: number;
}

/** What became of the requests of a phase. */
export interface Outcome {
  readonly offeredPerSecond: number;
  /** Answers with 2xx within GOOD_MS. */
  readonly goodPerSecond: number;
  /** Parts of all requests. */
  readonly good: number;
  /** Answered with 2xx within SOON_MS. */
  readonly soon: number;
  readonly shed: number;
  /** Parts of the requests of a class that got a good answer. */
  readonly goodOf: Readonly<Record<Priority, number>>;
  readonly shedOf: Readonly<Record<Priority, number>>;
  /** Latencies of the requests that were not shed: PATIENCE_MS if the client left without an answer. Null if all were shed. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export function outcomeOf(requests: readonly Answered[], seconds: number): Outcome {
  const isGood = ({ fate, latencyMs }: Answered): boolean => fate === 'served' && latencyMs <= GOOD_MS;
  const isSoon = ({ fate, latencyMs }: Answered): boolean => fate === 'served' && latencyMs <= SOON_MS;
  const isShed = ({ fate }: Answered): boolean => fate === 'shed';
  const partOf = (all: readonly Answered[], counts: (request: Answered) => boolean): number =>
    all.filter(counts).length / Math.max(1, all.length);
  const byClass = (counts: (request: Answered) => boolean): Readonly<Record<Priority, number>> => {
    const of = (priority: Priority): number =>
      partOf(
        requests.filter((request) => request.priority === priority),
        counts,
      );
    return { critical: of('critical'), normal: of('normal'), low: of('low') };
  };
  const admitted = requests.filter((request) => !isShed(request)).map(({ latencyMs }) => latencyMs);
  admitted.sort((a, b) => a - b);
  const quantile = (part: number): number | null => admitted[Math.ceil(admitted.length * part) - 1] ?? null;
  return {
    offeredPerSecond: requests.length / seconds,
    goodPerSecond: requests.filter(isGood).length / seconds,
    good: partOf(requests, isGood),
    soon: partOf(requests, isSoon),
    shed: partOf(requests, isShed),
    goodOf: byClass(isGood),
    shedOf: byClass(isShed),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  };
}
