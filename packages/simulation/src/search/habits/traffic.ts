import type { Step } from '../../tape/tape.js';
import type { DrawnRun, PolicyOutline } from '../drawing/drawn-run.js';
import { ask, type Request, spendOf } from './ask.js';

/** Calls of one process after another, with pauses between them. */
export function steady(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const processes = run.someProcesses();
  const everyMs = run.pause();
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(3, 25); left > 0; left -= 1) {
    steps.push(...ask(run, { ...request, process: draws.of(processes) }, atMs));
    atMs += draws.happens(0.2) ? run.pause() : everyMs;
  }
  return steps;
}

/** Many calls in one moment, from several processes. Then nothing for a while, and the same again. */
export function bursts(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const processes = run.someProcesses();
  const silenceMs = run.gap();
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(1, 5); left > 0; left -= 1) {
    steps.push(...rush(run, request, processes, atMs));
    atMs += draws.happens(0.6) ? silenceMs : run.gap();
  }
  return steps;
}

/** Everybody asks at once, in these processes. */
function rush(run: DrawnRun, request: Request, processes: readonly number[], atMs: number): readonly Step[] {
  const { draws } = run;
  return processes.flatMap((process) => {
    const offMs = draws.happens(0.7) ? 0 : draws.whole(1, 5);
    return together(run, { ...request, process }, atMs + offMs);
  });
}

/** Somebody in each of these processes who takes all that a limit has, to the last unit, and comes again soon for some more. */
export function takingAll(
  run: DrawnRun,
  request: Request,
  processes: readonly number[],
  { atMs, againMs }: { readonly atMs: number; readonly againMs: number },
): readonly Step[] {
  const { facts } = request;
  if (facts.takesSlots) return rush(run, request, processes, atMs);
  const cost = pieceOf(facts);
  return processes.flatMap((process): readonly Step[] => {
    const own = { ...request, process };
    const again = Array.from({ length: TIMES_AGAIN }, (_, i) => {
      const whenMs = atMs + Math.ceil((i + 1) * againMs);
      return [...asks({ ...own, cost }, whenMs, 2), ...asks({ ...own, cost: 1 }, whenMs, 6)];
    });
    return [...all(own, atMs), ...again.flat()];
  });
}

/** Asks for all that the smallest limit of a policy admits at once, in pieces. */
function all(request: Request, atMs: number): readonly Step[] {
  const cost = pieceOf(request.facts);
  const pieces = Math.ceil(request.facts.fewest / cost);
  return [...asks({ ...request, cost }, atMs, pieces), ...asks({ ...request, cost: 1 }, atMs, cost - 1)];
}

/** Returns how much of a limit is asked for at once by somebody who takes all of it in one moment, with the fewest calls. */
function pieceOf({ fewest }: PolicyOutline): number {
  return Math.ceil(Math.sqrt(fewest));
}

function asks(request: Request, atMs: number, times: number): readonly Step[] {
  return times === 0 ? [] : [{ atMs, call: 'consume', ...spendOf(request), times }];
}

/** Several subjects at once, as when word goes round. Some ask for a lot. Then others take what is left. */
export function crowds(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const { facts } = request;
  const lastsMs = run.interval();
  const beginMs = run.moment();
  const at = (longestMs: number): number => beginMs + draws.whole(0, longestMs);
  const steps: Step[] = [];
  for (let left = draws.scaled(4, 24); left > 0; left -= 1) {
    const one = { ...request, process: run.process(), subject: draws.whole(0, CROWD - 1), cost: run.cost(facts) };
    steps.push(...ask(run, one, at(lastsMs)));
  }
  const takenMs = at(lastsMs);
  const subjects = Math.min(CROWD, Math.ceil(facts.most / facts.fewest));
  for (let i = 0; i < subjects; i += 1) {
    const late = { ...request, process: run.process(), subject: run.madeUpSubject() };
    steps.push(...takingAll(run, late, [late.process], { atMs: takenMs, againMs: lastsMs / TIMES_AGAIN }));
  }
  return steps;
}

const TIMES_AGAIN = 4;
const CROWD = 4;

/**
 * Several subjects in the time that a message takes, some of which ask for more than they can get, after everything has come back. Then
 * the same again.
 */
export function collisions(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const { facts } = request;
  const silenceMs = draws.happens(0.7) ? run.longestMs + run.pause() : run.gap();
  const lastsMs = draws.of([...MESSAGES_MS, run.tripMs]);
  const steps: Step[] = [];
  let beginMs = run.moment();
  for (let left = draws.scaled(2, 6); left > 0; left -= 1) {
    for (let callers = draws.scaled(3, 16); callers > 0; callers -= 1) {
      const cost = draws.happens(0.5) ? draws.scaled(1, facts.most) : run.cost(facts);
      const one = { ...request, process: run.process(), subject: draws.whole(0, CROWD - 1), cost };
      const atMs = beginMs + draws.whole(0, lastsMs);
      steps.push(...(draws.happens(0.8) ? ask(run, one, atMs) : [look(one, atMs)]));
    }
    beginMs += silenceMs;
  }
  return steps;
}

/**
 * Some who have used up what is theirs, and go on asking, many times at once. Just after, others take all that is left for everybody.
 * Then the same again, when some of it has come back.
 */
export function pressing(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const { facts } = request;
  if (facts.takesSlots) return bursts(run);
  const everyMs = facts.soonMs + (draws.happens(0.7) ? draws.scaled(1, Math.max(2, facts.soonMs / 4)) : run.gap());
  const pressers = Array.from({ length: draws.whole(1, 3) }, () => ({ ...request, subject: run.ownSubject() }));
  // What each may have, when all that everybody may have is less.
  const times = draws.happens(0.8) ? Math.min(MOST_TURNS, Math.ceil(facts.most / facts.fewest)) : 1;
  const begins = pressers.flatMap((presser) => Array.from({ length: times }, () => presser));
  const rounds = draws.whole(2, 5);
  const beginMs = run.momentBefore((begins.length + rounds) * everyMs + A_SECOND_MS);
  const steps = begins.flatMap((presser, i) => all(presser, beginMs + i * everyMs));
  const lastsMs = draws.happens(0.8) ? run.tripMs : draws.of(MESSAGES_MS);
  const cost = draws.scaled(1, Math.max(1, facts.fewest / 8));
  for (let round = 0; round < rounds; round += 1) {
    const atMs = beginMs + (begins.length + round) * everyMs;
    const askedTimes = draws.scaled(1, MOST_PRESSES);
    for (const presser of pressers) {
      for (const process of run.someProcesses()) {
        steps.push({ atMs, call: 'consume', ...spendOf({ ...presser, process, cost }), times: askedTimes });
      }
    }
    steps.push(...takenByOthers(run, request, atMs + draws.whole(1, lastsMs), lastsMs));
  }
  return steps;
}

const MOST_TURNS = 4;
const MOST_PRESSES = 60;
const A_SECOND_MS = 1000;

/** As many others as it may take each ask for all they may have, and come again soon for what is left to the last unit. */
function takenByOthers(run: DrawnRun, request: Request, atMs: number, lastsMs: number): readonly Step[] {
  const { facts } = request;
  const others = Math.min(MOST_OTHERS, Math.ceil(facts.most / facts.fewest));
  return Array.from({ length: others }, (): readonly Step[] => {
    const another = { ...request, subject: run.madeUpSubject() };
    return takingAll(run, another, [run.process()], { atMs, againMs: lastsMs / TIMES_AGAIN });
  }).flat();
}

const MOST_OTHERS = 8;

/** How long messages are under way, there and back, over networks that are near or far. */
const MESSAGES_MS = [4, 10, 40] as const;

/** In one moment, a step asks at most so often. */
const MOST_TIMES = 24;

/** As many calls in one moment as it takes to reach a limit, or some more. */
function together(run: DrawnRun, request: Request, atMs: number): readonly Step[] {
  const { draws } = run;
  const { facts, cost } = request;
  const enough = Math.ceil(draws.of([facts.fewest, facts.most]) / Math.max(1, cost));
  const times = Math.max(
    1,
    Math.min(MOST_TIMES, draws.happens(0.5) ? enough + draws.whole(-1, 2) : draws.scaled(1, enough * 2)),
  );
  if (!facts.takesSlots) {
    return ask(run, request, atMs).map((step) =>
      'call' in step && step.call === 'consume' ? { ...step, times } : step,
    );
  }
  return Array.from({ length: Math.min(times, 8) }, () => ask(run, request, atMs)).flat();
}

/** Somebody who ignores refusals, and asks again and again. */
export function cheating(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const everyMs = draws.scaled(1, Math.max(2, run.longestMs / 8));
  const beginMs = run.moment();
  const isOneProcess = draws.happens(0.6);
  return Array.from({ length: draws.scaled(8, 50) }, (_, i) =>
    ask(run, { ...request, process: isOneProcess ? request.process : run.process() }, beginMs + i * everyMs),
  ).flat();
}

/** Many subjects that nobody has heard of, each once or twice. */
export function flooding(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const everyMs = draws.of([0, 0, 1, run.pause()]);
  const beginMs = run.moment();
  return Array.from({ length: draws.scaled(5, 40) }, (_, i) =>
    ask(run, { ...request, process: run.process(), subject: run.madeUpSubject() }, beginMs + i * everyMs),
  ).flat();
}

/** A client alone with its key, which comes back when it was told to. */
export function obeying(run: DrawnRun): readonly Step[] {
  const facts = run.draws.of(run.policies.filter((policy) => policy.isBySubject && !policy.takesSlots));
  if (facts === undefined) return steady(run);
  const cost = Math.max(1, Math.min(run.cost(facts), facts.fewest));
  return [
    {
      atMs: run.moment(),
      call: 'obey',
      process: run.process(),
      policy: facts.policy,
      subject: run.ownSubject(),
      cost,
      times: run.draws.scaled(2, 3 * Math.ceil(facts.fewest / cost) + 2),
    },
  ];
}

/** Somebody who looks at what is left, between calls of others or alone. */
export function peeking(run: DrawnRun): readonly Step[] {
  const { draws } = run;
  const request = someRequest(run);
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(2, 10); left > 0; left -= 1) {
    const { facts, subject, cost } = request;
    if (draws.happens(0.5)) steps.push(...ask(run, { ...request, process: run.process() }, atMs));
    steps.push(look({ process: run.process(), facts, subject, cost: draws.of([cost, 0, 1]) }, atMs));
    atMs += run.gap();
  }
  return steps;
}

export function look(request: Request, atMs: number): Step {
  return { atMs, call: 'peek', ...spendOf(request) };
}

export function someRequest(run: DrawnRun, facts: PolicyOutline = run.policy()): Request {
  return { process: run.process(), facts, subject: run.subject(), cost: run.cost(facts) };
}
