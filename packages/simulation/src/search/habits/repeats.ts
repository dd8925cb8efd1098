import type { CallStep, Step } from '../../tape/tape.js';
import type { DrawnRun } from '../drawing/drawn-run.js';
import { actualOf, ask, ends, type Request, reservation } from './ask.js';
import { look, someRequest } from './traffic.js';

/** Calls whose answer got lost, or seemed to be. They are made again with the same id, in this process or another. */
export function retrying(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = identified(run, someRequest(run));
  const isReserve = request.facts.takesSlots || draws.happens(0.4);
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(2, 5); left > 0; left -= 1) {
    const again = { ...request, process: draws.happens(0.4) ? request.process : run.process() };
    const made = isReserve ? repeatedReserve(run, again, atMs) : ask(run, again, atMs);
    steps.push(...made);
    // Half of them come when the work of the call before may be over.
    if (draws.happens(0.5)) atMs = Math.max(...made.map((step) => step.atMs));
    atMs += run.gap();
  }
  // Whoever noticed nothing of all this, and may want the same slot.
  const others = draws.happens(request.facts.takesSlots ? 0.8 : 0.5) ? besides(run, request, steps) : [];
  return [...steps, ...others];
}

/**
 * Each of the repeated reservations is settled or given back, as whoever made it knows nothing of the others. Some are handed over, and
 * some are found after minutes, by somebody who clears up.
 */
function repeatedReserve(run: DrawnRun, request: Request, atMs: number): readonly Step[] {
  const { draws } = run;
  const as = run.name();
  const made = reservation(run, request, as, atMs);
  const foundMs = draws.happens(0.3) ? atMs + draws.scaled(A_MINUTE_MS, 10 * A_MINUTE_MS) : atMs;
  if (draws.happens(0.7)) return [made, ...ends(run, as, request.cost, foundMs)];
  const charge = run.name();
  const sharedMs = atMs + run.pause();
  const correctMs = Math.max(sharedMs, foundMs) + (draws.happens(0.5) ? run.pause() : run.gap());
  const said = draws.happens(0.5) ? {} : { actual: actualOf(run, request.cost) };
  return [
    made,
    { atMs: sharedMs, call: 'share', of: as, as: charge, expiresMs: LONG_MS },
    { atMs: correctMs, call: 'correct', process: run.process(), charge, ...said },
  ];
}

/** Others of the same subject, who ask just before some of these steps, and look or ask just after. */
export function besides(run: DrawnRun, request: Request, steps: readonly Step[]): readonly Step[] {
  const { draws } = run;
  const { id: _, rememberMs: __, ...fresh } = request;
  const { fewest } = request.facts;
  return draws.some(steps, 0.6).flatMap(({ atMs }) => {
    const other = { ...fresh, process: run.process() };
    const cost = draws.of([1, draws.whole(1, fewest), fewest]);
    const beforeMs = Math.max(0, atMs - draws.whole(1, 20));
    // A slot that was freed is free for others: as many as there are slots come before a call that may still seem to hold one.
    const callers = request.facts.takesSlots && draws.happens(0.7) ? fewest : 1;
    const before = Array.from({ length: callers }, () => ask(run, { ...other, cost }, beforeMs)).flat();
    const afterMs = atMs + draws.whole(1, 20);
    const after = draws.happens(0.6)
      ? [look({ ...other, cost: 1 }, afterMs)]
      : ask(run, { ...other, cost: 1 }, afterMs);
    return [...(draws.happens(0.9) ? before : []), ...(draws.happens(0.9) ? after : [])];
  });
}

/** Somebody who asks again without an id, a moment after the first call. */
export function impatient(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(2, 6); left > 0; left -= 1) {
    steps.push(...ask(run, { ...request, process: run.process() }, atMs));
    atMs += draws.scaled(1, 200);
  }
  return steps;
}

/** A charge that another process corrects: the message about it may come late, or several times. */
export function handingOver(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = draws.happens(0.3) ? identified(run, someRequest(run)) : someRequest(run);
  const [held, charge] = [run.name(), run.name()];
  const beginMs = run.moment();
  const sharedMs = beginMs + (draws.happens(0.5) ? draws.scaled(1, 100) : run.gap());
  const expiresMs = draws.happens(0.5) ? LONG_MS : Math.max(1, run.gap());
  const steps: CallStep[] = [
    reservation(run, request, held, beginMs),
    { atMs: sharedMs, call: 'share', of: held, as: charge, expiresMs },
  ];
  let atMs = sharedMs;
  const first = draws.happens(0.3) ? {} : { actual: actualOf(run, request.cost) };
  for (let left = draws.scaled(1, 4); left > 0; left -= 1) {
    atMs += draws.happens(0.5) ? draws.scaled(1, FIVE_MINUTES_MS) : run.gap();
    const said = draws.happens(0.8) ? first : { actual: actualOf(run, request.cost) };
    steps.push({ atMs, call: 'correct', process: run.process(), charge, ...said });
  }
  if (draws.happens(0.15)) steps.push(...ends(run, held, request.cost, draws.of([sharedMs, atMs])));
  return steps;
}

const A_MINUTE_MS = 60_000;
const LONG_MS = 3_600_000;
const FIVE_MINUTES_MS = 300_000;

export function identified(run: DrawnRun, request: Request): Request {
  const remember = run.draws.happens(0.4) && { rememberMs: Math.min(86_400_000, Math.max(1, run.gap() * 2)) };
  return { ...request, id: `op-${run.name()}`, ...remember };
}
