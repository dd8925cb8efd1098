import type { Step } from '../../tape/tape.js';
import type { DrawnRun } from '../drawing/drawn-run.js';
import { ask } from './ask.js';
import { someRequest } from './traffic.js';

/** Units that are charged afterwards, or given back without a reservation. */
export function correcting(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const { facts, subject } = request;
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(2, 8); left > 0; left -= 1) {
    const by = { process: run.process(), policy: facts.policy, subject };
    const call = draws.of(['charge', 'refund', 'consume'] as const);
    if (call === 'consume') steps.push(...ask(run, { ...request, process: by.process }, atMs));
    else steps.push({ atMs, call, ...by, cost: draws.happens(0.5) ? request.cost : run.cost(facts) });
    atMs += draws.happens(0.5) ? run.pause() : run.gap();
  }
  return steps;
}

/** Somebody of the staff who blocks a subject, lifts the block, or lets it begin anew, while it goes on. */
export function administering(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(1, 4); left > 0; left -= 1) {
    const by = { process: run.process(), policy: request.facts.policy, subject: request.subject };
    const call = draws.of(['reset', 'block', 'block', 'unblock'] as const);
    steps.push(call === 'block' ? { atMs, call, ...by, forMs: Math.max(1, run.gap()) } : { atMs, call, ...by });
    for (let calls = draws.whole(1, 3); calls > 0; calls -= 1) {
      atMs += draws.happens(0.5) ? draws.scaled(1, 50) : run.gap();
      steps.push(...ask(run, { ...request, process: run.process() }, atMs));
    }
  }
  return steps;
}

/** Limits that change while requests run: first in one process, then in the others, if anywhere. */
export function replacing(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const facts = draws.of(run.policies.filter(({ variants }) => variants > 1));
  if (facts === undefined) return administering(run);
  const request = someRequest(run, facts);
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(1, 3); left > 0; left -= 1) {
    const variant = draws.whole(0, facts.variants - 1);
    for (const process of run.someProcesses()) {
      steps.push({ atMs, call: 'replace', process, policy: facts.policy, variant });
      atMs += draws.happens(0.4) ? 0 : run.pause();
      for (let calls = draws.whole(0, 3); calls > 0; calls -= 1) {
        steps.push(...ask(run, { ...request, process: run.process() }, atMs));
        atMs += run.pause();
      }
    }
    atMs += run.gap();
  }
  return steps;
}

/** A process that ends as it should, in the middle of its work. Another one may take its place. */
export function closing(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const process = run.process();
  const request = { ...someRequest(run), process };
  const closeMs = run.moment() + run.gap();
  const steps: Step[] = [];
  for (let left = draws.whole(0, 4); left > 0; left -= 1) {
    const atMs = Math.max(0, closeMs - (draws.happens(0.3) ? 0 : run.pause()));
    steps.push(...ask(run, request, atMs));
  }
  steps.push({ atMs: closeMs, call: 'close', process });
  if (draws.happens(run.setup.processes.length > 1 ? 0.5 : 0.9)) {
    steps.push({ atMs: closeMs + Math.max(1, run.gap()), fault: 'start', process });
  }
  for (let left = draws.whole(0, 3); left > 0; left -= 1) {
    steps.push(...ask(run, { ...request, process: run.process() }, closeMs + run.gap()));
  }
  return steps;
}
