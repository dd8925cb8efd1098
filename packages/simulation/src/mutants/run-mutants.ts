import type { Stage } from './kills/stage.js';
import type { Kill, Passed, Verdict, VerdictLog } from './kills/verdict.js';
import type { Mutant } from './mutant.js';
import type { ScratchCheckout } from './scratch/scratch-checkout.js';

/** What a run needs. */
export interface MutantRun {
  readonly mutants: readonly Mutant[];
  /** In the order in which a mutant meets them: the cheapest first. */
  readonly stages: readonly Stage[];
  /** One for each mutant that is tried at a time. At least one. */
  readonly checkouts: readonly ScratchCheckout[];
  /** Knows what earlier runs have found out, and keeps what this one does. */
  readonly log: VerdictLog;
  /** Whether mutants that survived meet all stages again. Otherwise they meet only those that they have not met. */
  readonly again?: boolean;
  /** Told after each mutant. */
  readonly onVerdict?: (mutant: Mutant, verdict: Verdict) => void;
  /** Ends the run. What it has found out until then is kept. */
  readonly signal?: AbortSignal;
}

/** A mutant that has still to meet some stages. */
interface Waiting {
  readonly mutant: Mutant;
  readonly code: string;
  readonly stages: readonly Stage[];
  readonly passed: readonly Passed[];
}

/**
 * Puts each mutant into a scratch checkout until a stage fails with it. What earlier runs have found out about the same mutants of the
 * same code is not tried again.
 */
export async function runMutants(run: MutantRun): Promise<void> {
  const [first] = run.checkouts;
  if (!first) throw new Error('A run of mutants needs at least one scratch checkout');
  const waiting = run.mutants.flatMap((mutant) => leftFor(mutant, first.hashOf(mutant.file), run));
  for (const stage of run.stages) {
    const files = waiting.filter(({ stages }) => stages.includes(stage)).map(({ mutant }) => mutant.file);
    if (files.length > 0 && !run.signal?.aborted) await stage.prepare(first, [...new Set(files)], run.signal);
  }
  const next = waiting[Symbol.iterator]();
  await Promise.all(
    run.checkouts.map(async (checkout) => {
      // All workers take from one iterator.
      for (const one of next) await tryOne(one, checkout, run);
    }),
  );
}

/** The stages that a mutant has still to meet, if there are any. */
function leftFor(mutant: Mutant, code: string, { stages, log, again }: MutantRun): Waiting[] {
  const before = log.find(mutant.id, code);
  if (before?.killed) return [];
  const passed = again ? [] : (before?.passed ?? []);
  const left = stages.filter(({ name }) => !passed.some(({ stage }) => stage === name));
  return left.length === 0 ? [] : [{ mutant, code, stages: left, passed }];
}

async function tryOne({ mutant, code, stages, passed }: Waiting, checkout: ScratchCheckout, run: MutantRun) {
  if (run.signal?.aborted) return;
  const met = [...passed];
  let killed: Kill | undefined;
  try {
    if (!checkout.apply(mutant)) killed = { stage: 'build', how: 'failed', ms: 0 };
    for (const stage of killed ? [] : stages) {
      const outcome = await meet(stage, mutant, checkout, run.signal);
      if (outcome === 'stopped') return;
      if ('how' in outcome) {
        killed = outcome;
        break;
      }
      met.push(outcome);
    }
  } finally {
    checkout.restore();
  }
  const verdict: Verdict = { id: mutant.id, code, ...(killed && { killed }), passed: met };
  run.log.add(verdict);
  run.onVerdict?.(mutant, verdict);
}

async function meet(
  { name: stage, tasksFor }: Stage,
  { file }: Mutant,
  checkout: ScratchCheckout,
  signal: AbortSignal | undefined,
): Promise<Kill | Passed | 'stopped'> {
  let ms = 0;
  for (const task of tasksFor(file)) {
    const ending = await checkout.run(task.command, task.limitMs, signal);
    ms += ending.ms;
    if (ending.how === 'stopped') return 'stopped';
    if (ending.how === 'passed') continue;
    const by = ending.how === 'failed' ? task.failureIn?.(ending.output) : undefined;
    return { stage, how: ending.how, ms, ...(by !== undefined && { by }) };
  }
  return { stage, ms };
}
