import type { CallStep, Step } from '../../tape/tape.js';
import type { Plan } from '../drawing/plan.js';
import { actualOf, ask, ends, type Request, reservation } from './ask.js';
import { look, someRequest } from './traffic.js';

/** Calls whose answer got lost, or seemed to be. They are made again with the same id, in this process or another. */
export function retrying(plan: Plan): readonly Step[] {
  const { draws } = plan;
  const request = identified(plan, someRequest(plan));
  const isReserve = request.facts.takesSlots || draws.happens(0.4);
  const steps: Step[] = [];
  let atMs = plan.moment();
  for (let left = draws.scaled(2, 5); left > 0; left -= 1) {
    const again = { ...request, process: draws.happens(0.4) ? request.process : plan.process() };
    const made = isReserve ? repeatedReserve(plan, again, atMs) : ask(plan, again, atMs);
    steps.push(...made);
    // Half of them come when the work of the call before may be over.
    if (draws.happens(0.5)) atMs = Math.max(...made.map((step) => step.atMs));
    atMs += plan.gap();
  }
  // Whoever noticed nothing of all this, and may want the same slot.
  const others = draws.happens(request.facts.takesSlots ? 0.8 : 0.5) ? besides(plan, request, steps) : [];
  return [...steps, ...others];
}

/**
 * Each of the repeated reservations is settled or given back, as whoever made it knows nothing of the others. Some are handed over, and
 * some are found after minutes, by somebody who clears up.
 */
function repeatedReserve(plan: Plan, request: Request, atMs: number): readonly Step[] {
  const { draws } = plan;
  const as = plan.name();
  const made = reservation(plan, request, as, atMs);
  const foundMs = draws.happens(0.3) ? atMs + draws.scaled(A_MINUTE_MS, 10 * A_MINUTE_MS) : atMs;
  if (draws.happens(0.7)) return [made, ...ends(plan, as, request.cost, foundMs)];
  const charge = plan.name();
  const sharedMs = atMs + plan.pause();
  const correctMs = Math.max(sharedMs, foundMs) + (draws.happens(0.5) ? plan.pause() : plan.gap());
  const said = draws.happens(0.5) ? {} : { actual: actualOf(plan, request.cost) };
  return [
    made,
    { atMs: sharedMs, call: 'share', of: as, as: charge, expiresMs: LONG_MS },
    { atMs: correctMs, call: 'correct', process: plan.process(), charge, ...said },
  ];
}

/** Others of the same subject, who ask just before some of these steps, and look or ask just after. */
export function besides(plan: Plan, request: Request, steps: readonly Step[]): readonly Step[] {
  const { draws } = plan;
  const { id: _, rememberMs: __, ...fresh } = request;
  const { fewest } = request.facts;
  return draws.some(steps, 0.6).flatMap(({ atMs }) => {
    const other = { ...fresh, process: plan.process() };
    const cost = draws.of([1, draws.whole(1, fewest), fewest]);
    const beforeMs = Math.max(0, atMs - draws.whole(1, 20));
    // A slot that was freed is free for others: as many as there are slots come before a call that may still seem to hold one.
    const callers = request.facts.takesSlots && draws.happens(0.7) ? fewest : 1;
    const before = Array.from({ length: callers }, () => ask(plan, { ...other, cost }, beforeMs)).flat();
    const afterMs = atMs + draws.whole(1, 20);
    const after = draws.happens(0.6)
      ? [look({ ...other, cost: 1 }, afterMs)]
      : ask(plan, { ...other, cost: 1 }, afterMs);
    return [...(draws.happens(0.9) ? before : []), ...(draws.happens(0.9) ? after : [])];
  });
}

/** Somebody who asks again without an id, a moment after the first call. */
export function impatient(plan: Plan): readonly Step[] {
  const { draws } = plan;
  const request = someRequest(plan);
  const steps: Step[] = [];
  let atMs = plan.moment();
  for (let left = draws.scaled(2, 6); left > 0; left -= 1) {
    steps.push(...ask(plan, { ...request, process: plan.process() }, atMs));
    atMs += draws.scaled(1, 200);
  }
  return steps;
}

/** A charge that another process corrects: the message about it may come late, or several times. */
export function handingOver(plan: Plan): readonly Step[] {
  const { draws } = plan;
  const request = draws.happens(0.3) ? identified(plan, someRequest(plan)) : someRequest(plan);
  const [held, charge] = [plan.name(), plan.name()];
  const beginMs = plan.moment();
  const sharedMs = beginMs + (draws.happens(0.5) ? draws.scaled(1, 100) : plan.gap());
  const expiresMs = draws.happens(0.5) ? LONG_MS : Math.max(1, plan.gap());
  const steps: CallStep[] = [
    reservation(plan, request, held, beginMs),
    { atMs: sharedMs, call: 'share', of: held, as: charge, expiresMs },
  ];
  let atMs = sharedMs;
  const first = draws.happens(0.3) ? {} : { actual: actualOf(plan, request.cost) };
  for (let left = draws.scaled(1, 4); left > 0; left -= 1) {
    atMs += draws.happens(0.5) ? draws.scaled(1, FIVE_MINUTES_MS) : plan.gap();
    const said = draws.happens(0.8) ? first : { actual: actualOf(plan, request.cost) };
    steps.push({ atMs, call: 'correct', process: plan.process(), charge, ...said });
  }
  if (draws.happens(0.15)) steps.push(...ends(plan, held, request.cost, draws.of([sharedMs, atMs])));
  return steps;
}

const A_MINUTE_MS = 60_000;
const LONG_MS = 3_600_000;
const FIVE_MINUTES_MS = 300_000;

export function identified(plan: Plan, request: Request): Request {
  const remember = plan.draws.happens(0.4) && { rememberMs: Math.min(86_400_000, Math.max(1, plan.gap() * 2)) };
  return { ...request, id: `op-${plan.name()}`, ...remember };
}
