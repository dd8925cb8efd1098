import type { Step } from '../../tape/tape.js';
import type { Plan } from '../drawing/plan.js';
import { ask } from './ask.js';
import { someRequest } from './traffic.js';

/** Units that are charged afterwards, or given back without a reservation. */
export function correcting(plan: Plan): readonly Step[] {
  const { draws } = plan;
  const request = someRequest(plan);
  const { facts, subject } = request;
  const steps: Step[] = [];
  let atMs = plan.moment();
  for (let left = draws.scaled(2, 8); left > 0; left -= 1) {
    const by = { process: plan.process(), policy: facts.policy, subject };
    const call = draws.of(['charge', 'refund', 'consume'] as const);
    if (call === 'consume') steps.push(...ask(plan, { ...request, process: by.process }, atMs));
    else steps.push({ atMs, call, ...by, cost: draws.happens(0.5) ? request.cost : plan.cost(facts) });
    atMs += draws.happens(0.5) ? plan.pause() : plan.gap();
  }
  return steps;
}

/** Somebody of the staff who blocks a subject, lifts the block, or lets it begin anew, while it goes on. */
export function administering(plan: Plan): readonly Step[] {
  const { draws } = plan;
  const request = someRequest(plan);
  const steps: Step[] = [];
  let atMs = plan.moment();
  for (let left = draws.scaled(1, 4); left > 0; left -= 1) {
    const by = { process: plan.process(), policy: request.facts.policy, subject: request.subject };
    const call = draws.of(['reset', 'block', 'block', 'unblock'] as const);
    steps.push(call === 'block' ? { atMs, call, ...by, forMs: Math.max(1, plan.gap()) } : { atMs, call, ...by });
    for (let calls = draws.whole(1, 3); calls > 0; calls -= 1) {
      atMs += draws.happens(0.5) ? draws.scaled(1, 50) : plan.gap();
      steps.push(...ask(plan, { ...request, process: plan.process() }, atMs));
    }
  }
  return steps;
}

/** Limits that change while requests run: first in one process, then in the others, if anywhere. */
export function replacing(plan: Plan): readonly Step[] {
  const { draws } = plan;
  const facts = draws.of(plan.policies.filter(({ variants }) => variants > 1));
  if (facts === undefined) return administering(plan);
  const request = someRequest(plan, facts);
  const steps: Step[] = [];
  let atMs = plan.moment();
  for (let left = draws.scaled(1, 3); left > 0; left -= 1) {
    const variant = draws.whole(0, facts.variants - 1);
    for (const process of plan.someProcesses()) {
      steps.push({ atMs, call: 'replace', process, policy: facts.policy, variant });
      atMs += draws.happens(0.4) ? 0 : plan.pause();
      for (let calls = draws.whole(0, 3); calls > 0; calls -= 1) {
        steps.push(...ask(plan, { ...request, process: plan.process() }, atMs));
        atMs += plan.pause();
      }
    }
    atMs += plan.gap();
  }
  return steps;
}

/** A process that ends as it should, in the middle of its work. Another one may take its place. */
export function closing(plan: Plan): readonly Step[] {
  const { draws } = plan;
  const process = plan.process();
  const request = { ...someRequest(plan), process };
  const closeMs = plan.moment() + plan.gap();
  const steps: Step[] = [];
  for (let left = draws.whole(0, 4); left > 0; left -= 1) {
    const atMs = Math.max(0, closeMs - (draws.happens(0.3) ? 0 : plan.pause()));
    steps.push(...ask(plan, request, atMs));
  }
  steps.push({ atMs: closeMs, call: 'close', process });
  if (draws.happens(plan.setup.processes.length > 1 ? 0.5 : 0.9)) {
    steps.push({ atMs: closeMs + Math.max(1, plan.gap()), fault: 'start', process });
  }
  for (let left = draws.whole(0, 3); left > 0; left -= 1) {
    steps.push(...ask(plan, { ...request, process: plan.process() }, closeMs + plan.gap()));
  }
  return steps;
}
