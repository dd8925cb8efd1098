import type { Step } from '../../tape/tape.js';
import type { Plan } from '../drawing/plan.js';
import { ask, ends, reserveAndEnd, spendOf } from './ask.js';
import { someRequest, takingAll } from './traffic.js';

/** Work of unknown cost: it is estimated, done, and then corrected. */
export function reserving(plan: Plan): readonly Step[] {
  const { draws } = plan;
  const request = someRequest(plan);
  const everyMs = plan.pause();
  const steps: Step[] = [];
  let atMs = plan.moment();
  for (let left = draws.scaled(1, 12); left > 0; left -= 1) {
    steps.push(...reserveAndEnd(plan, { ...request, process: plan.process() }, atMs));
    atMs += draws.happens(0.7) ? everyMs : plan.gap();
  }
  return steps;
}

/**
 * Work that is estimated high and turns out cheap, in one process after another, beside small requests of the same subject. At the end
 * everybody comes at once.
 */
export function estimating(plan: Plan): readonly Step[] {
  const { draws, setup } = plan;
  const request = someRequest(plan);
  const { facts } = request;
  const estimate = draws.whole(Math.ceil(facts.fewest / 6), Math.ceil(facts.fewest / 2));
  const actual = draws.happens(0.7) ? 0 : draws.whole(0, Math.ceil(estimate / 8));
  const processes = setup.processes.map((_, process) => process);
  const everyMs = plan.beat();
  const worksForMs = draws.scaled(1, Math.max(2, everyMs / 2));
  const beginMs = plan.moment();
  const turns = draws.scaled(6, 40);
  const steps = Array.from({ length: turns }, (_, turn): readonly Step[] => {
    const atMs = beginMs + turn * everyMs;
    const mine = { ...request, process: processes[turn % processes.length] as number };
    const as = plan.name();
    const beside = ask(plan, { ...mine, cost: 1 }, atMs + draws.whole(0, 2 * worksForMs));
    return [
      { atMs, call: 'reserve', as, ...spendOf({ ...mine, cost: estimate }) },
      { atMs: atMs + worksForMs, call: 'settle', of: as, actual },
      ...(draws.happens(0.8) ? beside : []),
    ];
  }).flat();
  const endMs = beginMs + (turns - 1) * everyMs + worksForMs + draws.scaled(1, Math.max(2, everyMs));
  return [...steps, ...takingAll(plan, request, processes, { atMs: endMs, againMs: everyMs / 4 })];
}

/** Several callers that wait for their turn, and then hold what they got for a while. */
export function waiting(plan: Plan): readonly Step[] {
  const { draws } = plan;
  const request = someRequest(plan);
  const processes = plan.someProcesses();
  const steps: Step[] = [];
  let atMs = plan.moment();
  for (let left = draws.scaled(1, 10); left > 0; left -= 1) {
    const as = plan.name();
    const maxWaitMs = draws.happens(0.1) ? 0 : plan.gap();
    const cost = draws.happens(0.8) ? request.cost : plan.cost(request.facts);
    const spend = spendOf({ ...request, process: draws.of(processes), cost });
    steps.push({ atMs, call: 'wait', as, maxWaitMs, ...spend }, ...ends(plan, as, cost, atMs));
    if (draws.happens(0.4)) atMs += plan.pause();
  }
  return steps;
}

/** Jobs in the lines of some processes. */
export function running(plan: Plan): readonly Step[] {
  const { draws } = plan;
  const request = someRequest(plan);
  const processes = plan.someProcesses();
  const worksForMs = plan.pause();
  const steps: Step[] = [];
  let atMs = plan.moment();
  for (let left = draws.scaled(2, 20); left > 0; left -= 1) {
    const subject = draws.happens(0.7) ? request.subject : plan.subject();
    const spend = spendOf({ ...request, process: draws.of(processes), subject });
    const maxWaitMs = draws.happens(0.5) ? plan.longestMs * 2 : plan.gap();
    steps.push({ atMs, call: 'run', worksForMs: draws.happens(0.8) ? worksForMs : plan.pause(), maxWaitMs, ...spend });
    if (draws.happens(0.3)) atMs += plan.pause();
  }
  return steps;
}
