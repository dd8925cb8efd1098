import { createShedder, type EventLoop, type Permit, systemEventLoop } from '@sluice/core/load';
import { processorMs } from '../processor-time.js';
import { workFor } from '../work-for.js';

export interface ShedderOptions {
  readonly requests: number;
  /** How many requests a server reads in one turn of its event loop. None: there is no shedder. */
  readonly requestsPerTurn: number;
}

export async function start({ requests, requestsPerTurn }: ShedderOptions) {
  const admit = requestsPerTurn === 0 ? () => NOTHING : sheddingAt(requestsPerTurn);
  /** Nanoseconds of the processor for a request. */
  const round = (): number => costOf(requests, admit);
  return { round, warmUp: (ms: number) => workFor(ms, round) };
}

const NOTHING: Permit = { done() {}, drop() {}, pause() {}, resume() {} };

function sheddingAt(requestsPerTurn: number): () => Permit | undefined {
  const shedder = createShedder({ eventLoop: turningLoop(requestsPerTurn) });
  return () => shedder.admit();
}

/**
 * The event loop of this process with all its readings, which begins a turn after so many requests: the benchmark itself is
 * one long turn.
 */
function turningLoop(requestsPerTurn: number): EventLoop {
  let read = 0;
  return {
    nowMs: systemEventLoop.nowMs,
    idleMs: systemEventLoop.idleMs,
    turns() {
      read += 1;
      return systemEventLoop.turns() + Math.floor(read / requestsPerTurn);
    },
  };
}

function costOf(requests: number, admit: () => Permit | undefined): number {
  const beforeMs = processorMs();
  let refused = 0;
  for (let request = 0; request < requests; request += 1) {
    const permit = admit();
    if (permit) permit.done();
    else refused += 1;
  }
  // A shedder that is not calm would be measured while it refuses.
  if (refused > 0) throw new Error(`${refused} of ${requests} requests were refused`);
  return ((processorMs() - beforeMs) * 1e6) / requests;
}
