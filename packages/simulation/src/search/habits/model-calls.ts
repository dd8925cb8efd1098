import type { ModelCall, Step } from '../../tape/tape.js';
import type { DrawnRun } from '../drawing/drawn-run.js';

/** Returns all that a run with plans does with models: some clients, each with calls of its own kind. */
export function modelCalling(run: DrawnRun): readonly Step[] {
  const { draws, setup } = run;
  const steps: Step[] = [];
  for (let left = setup.plans ? draws.whole(1, 5) : 0; left > 0; left -= 1) steps.push(...callsOfAClient(run));
  return steps;
}

/** A client that calls a model again and again, and somebody who looks at its budget. */
function callsOfAClient(run: DrawnRun): readonly Step[] {
  const { draws, setup } = run;
  const number = draws.whole(0, (setup.plans?.length ?? 1) - 1);
  const { unseen } = setup.plans?.[number] ?? {};
  const subject = run.subject();
  const processes = run.someProcesses();
  const kind = drawKind(run, unseen);
  const everyMs = draws.of([0, draws.scaled(1, 20_000), draws.scaled(1, 2000)]);
  const steps: Step[] = [];
  let atMs = run.moment();
  for (let left = draws.scaled(2, 30); left > 0; left -= 1) {
    const who = { process: draws.of(processes), plan: number, subject };
    const call = draws.happens(0.7) ? kind : drawKind(run, unseen);
    const end = call.fetchedAfterMs === undefined ? drawEnd(run) : drawEndInBackground(run);
    steps.push({ atMs, call: 'model-call', ...who, ...call, ...end });
    if (draws.happens(0.4)) {
      const lookMs = atMs + draws.of([0, draws.scaled(1, 100), call.takesMs + draws.scaled(1, 200)]);
      steps.push({ atMs: lookMs, call: 'model-look', ...who, process: run.process() });
    }
    // The ends of a minute, and those of a sub-window of it.
    atMs += draws.happens(0.8) ? everyMs : draws.of([60_000, 63_000, run.gap()]) + draws.whole(-1, 1);
  }
  return steps.map((step) => ({ ...step, atMs: Math.max(0, step.atMs) }));
}

type Kind = Omit<ModelCall, 'call' | 'process' | 'plan' | 'subject' | 'ends' | 'endsAgain'>;

/** @param unseen - the most tokens of a stored conversation; undefined if calls have none */
function drawKind({ draws }: DrawnRun, unseen: number | undefined): Kind {
  const outputTokens = draws.happens(0.05) ? 0 : draws.scaled(1, 500);
  const stored = unseen !== undefined && draws.happens(0.5) && { unseenTokens: draws.whole(0, unseen) };
  const fetched = draws.happens(0.1) && { isWhole: true as const, fetchedAfterMs: draws.scaled(1, 60_000) };
  return {
    dialect:
      stored || fetched
        ? 'openai-responses'
        : draws.of(['openai-chat', 'openai-responses', 'anthropic-messages'] as const),
    inputTokens: draws.scaled(1, 300),
    ...(draws.happens(0.6) && { maxOutput: draws.scaled(1, 500) }),
    outputTokens,
    ...(draws.happens(0.2) && { isWhole: true as const }),
    takesMs: draws.scaled(1, 30_000),
    ...stored,
    ...fetched,
  };
}

/** The answer is fetched, or nobody comes for it. */
function drawEndInBackground({ draws }: DrawnRun): Pick<ModelCall, 'ends'> {
  return { ends: draws.happens(0.8) ? 'complete' : 'never' };
}

function drawEnd({ draws }: DrawnRun): Pick<ModelCall, 'ends' | 'endsAgain'> {
  const ends = draws.weighted([
    [10, 'complete'],
    [3, 'broken'],
    [2, 'refused'],
    [1, 'unsent'],
    [2, 'no-usage'],
    [1, 'wrong-usage'],
    [2, 'client-leaves'],
    [1, 'never'],
  ] as const);
  const again = draws.happens(0.25) && {
    endsAgain: draws.of(['complete', 'broken', 'refused', 'unsent', 'abandoned'] as const),
  };
  return { ends, ...again };
}
