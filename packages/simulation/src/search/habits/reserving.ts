import type { Step } from '../../tape/tape.js';
import type { DrawnRun } from '../drawing/drawn-run.js';
import { actualOf, ask, ends, reservation, reserveAndEnd, spendOf } from './ask.js';
import { besides, identified } from './repeats.js';
import { someRequest, takingAll } from './traffic.js';

/** Work of unknown cost: it is estimated, done, and then corrected. */
export function reserving(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const everyMs = run.pause();
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(1, 12); left > 0; left -= 1) {
    steps.push(...reserveAndEnd(run, { ...request, process: run.process() }, atMs));
    atMs += draws.happens(0.7) ? everyMs : run.gap();
  }
  return steps;
}

/**
 * Reservations that were forgotten, or made twice by one operation. Some are ended soon, and others long after, by somebody who clears up:
 * when limits and stores may have forgotten them, and others have come meanwhile.
 */
export function clearingUp(run: DrawnRun): readonly Step[] {
  const { draws, setup } = run;
  const some = someRequest(run);
  const cost = draws.happens(0.5) ? some.cost : draws.whole(1, some.facts.fewest);
  const alone = { ...some, cost, ...(draws.happens(0.7) && { subject: run.ownSubject() }) };
  const isOne = draws.happens(0.6);
  const request = isOne ? identified(run, alone) : alone;
  const steps: Step[] = [];
  const ended: Step[] = [];
  const beginMs = draws.happens(0.5) ? run.moment() : draws.whole(0, Math.floor(setup.lastsMs / 8));
  for (let left = draws.whole(isOne ? 2 : 1, 4); left > 0; left -= 1) {
    const of = run.name();
    const atMs = beginMs + (draws.happens(0.6) ? 0 : run.pause());
    const endMs = atMs + run.pause() + (draws.happens(0.6) ? forgottenAfter(run) : 0);
    steps.push(reservation(run, { ...request, process: run.process() }, of, atMs));
    const actual = actualOf(run, cost);
    ended.push(draws.happens(0.6) ? { atMs: endMs, call: 'cancel', of } : { atMs: endMs, call: 'settle', of, actual });
  }
  return [...steps, ...ended, ...besides(run, request, ended)];
}

/** Returns a time after which what was counted, or what was remembered, may be forgotten. */
function forgottenAfter(run: DrawnRun): number {
  const { draws } = run;
  const forMs = draws.happens(0.4) ? A_MINUTE_MS : run.longestMs;
  return Math.max(0, Math.ceil(forMs * draws.of([1, 1, 1.5, 2])) + draws.whole(-20, 200));
}

const A_MINUTE_MS = 60_000;

/**
 * Work that is estimated high and turns out cheap, in one process after another, beside small requests of the same subject. At the end
 * everybody comes at once.
 */
export function estimating(run: DrawnRun): readonly Step[] {
  const { draws, setup } = run;
  const some = someRequest(run);
  const request = draws.happens(0.5) ? { ...some, subject: run.ownSubject() } : some;
  const { facts } = request;
  const everyMs = run.interval();
  // What comes back by itself in some turns, or any part of the limit.
  const inATurn = (facts.fewest * everyMs) / facts.comesBackMs;
  const most = Math.ceil(facts.fewest / 2);
  const estimate = draws.happens(0.8)
    ? Math.min(most, Math.ceil(inATurn * draws.of([1, 2, 3, 5])))
    : draws.scaled(Math.ceil(facts.fewest / 40), most);
  const actual = draws.happens(0.8) ? 0 : draws.whole(0, Math.ceil(estimate / 8));
  const processes = setup.processes.map((_, process) => process);
  const worksForMs = draws.scaled(1, Math.max(2, everyMs / 4));
  // For as long as some estimates take to come back, or for some turns.
  const enough = 2 + Math.ceil((draws.whole(1, 6) * estimate) / inATurn);
  const turns = Math.min(MOST_TURNS, draws.happens(0.8) ? enough : draws.scaled(2, MOST_TURNS));
  const beginMs = run.momentBefore((turns + 1) * everyMs);
  const steps = Array.from({ length: turns }, (_, turn): readonly Step[] => {
    const atMs = beginMs + turn * everyMs;
    const mine = { ...request, process: processes[turn % processes.length] as number };
    const as = run.name();
    const beside = ask(run, { ...mine, cost: 1 }, atMs + draws.whole(0, 2 * worksForMs));
    return [
      { atMs, call: 'reserve', as, ...spendOf({ ...mine, cost: estimate }) },
      { atMs: atMs + worksForMs, call: 'settle', of: as, actual },
      ...(draws.happens(0.9) ? beside : []),
    ];
  }).flat();
  const endMs = beginMs + (turns - 1) * everyMs + 2 * worksForMs + draws.scaled(1, Math.max(2, everyMs / 2));
  return [...steps, ...takingAll(run, request, processes, { atMs: endMs, againMs: everyMs / 4 })];
}

const MOST_TURNS = 24;

/** Several callers that wait for their turn, and then hold what they got for a while. */
export function waiting(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const processes = run.someProcesses();
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(1, 10); left > 0; left -= 1) {
    const as = run.name();
    const maxWaitMs = draws.happens(0.1) ? 0 : run.gap();
    const cost = draws.happens(0.8) ? request.cost : run.cost(request.facts);
    const spend = spendOf({ ...request, process: draws.of(processes), cost });
    steps.push({ atMs, call: 'wait', as, maxWaitMs, ...spend }, ...ends(run, as, cost, atMs));
    if (draws.happens(0.4)) atMs += run.pause();
  }
  return steps;
}

/** Jobs in the lines of some processes. */
export function running(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const processes = run.someProcesses();
  const worksForMs = run.pause();
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(2, 20); left > 0; left -= 1) {
    const subject = draws.happens(0.7) ? request.subject : run.subject();
    const spend = spendOf({ ...request, process: draws.of(processes), subject });
    const maxWaitMs = draws.happens(0.5) ? run.longestMs * 2 : run.gap();
    steps.push({ atMs, call: 'run', worksForMs: draws.happens(0.8) ? worksForMs : run.pause(), maxWaitMs, ...spend });
    if (draws.happens(0.3)) atMs += run.pause();
  }
  return steps;
}
