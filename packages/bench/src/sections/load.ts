import { createShedder, type EventLoop, type Permit, systemEventLoop } from '@sluice/core/load';
import { processorMs } from '../processor-time.js';
import { differences, interleaved, spreadOf } from '../rounds.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import type { Table } from '../table.js';

/** A round has at least this many requests for each decision that `Scale.allocations` says: a round of processor time. */
const PER_ROUND = 20;

/** Until everything is compiled that will be. */
const WARM_ROUNDS = 3;

const AIM_NS = 400;

/** How many requests a server reads in one turn of its event loop: one at low load, several at high load. */
const REQUESTS_PER_TURN = [1, 10];

/** What a shedder costs a request while the process keeps up. */
export const load: Section = {
  title: 'Load shedding',

  async *run(scale) {
    yield await calm(scale);
  },
};

async function calm(scale: Scale): Promise<Table> {
  const requests = PER_ROUND * scale.allocations;
  const shedding = REQUESTS_PER_TURN.map((perTurn): [string, () => number] => {
    const shedder = createShedder({ eventLoop: turningLoop(perTurn) });
    const name = `admitted and answered, ${perTurn === 1 ? 'one request' : `${perTurn} requests`} per turn`;
    return [name, () => costOf(requests, () => shedder.admit())];
  });
  const nothing: Permit = { done() {}, drop() {}, pause() {}, resume() {} };
  const subjects = new Map([['an empty function', () => costOf(requests, () => nothing)] as const, ...shedding]);
  if (scale.hasProcesses) await interleaved(WARM_ROUNDS, subjects);
  const costs = await interleaved(2 * scale.rounds, subjects);
  const empty = costs.get('an empty function') ?? [];
  return {
    caption: `The process keeps up; all readings are those of the event loop; aim: at most ${AIM_NS} ns more`,
    head: ['', 'ns of the processor each', 'more'],
    rows: [...costs].map(([name, ns]) => [name, spreadOf(ns), differences(ns, empty)]),
  };
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

/** Nanoseconds of processor time for a request. */
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
