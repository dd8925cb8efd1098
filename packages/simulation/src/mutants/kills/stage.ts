import type { Command } from '../scratch/run-command.js';
import type { ScratchCheckout } from '../scratch/scratch-checkout.js';

/** One command of a stage. */
export interface Task {
  readonly command: Command;
  /** After how long it is taken for one that never ends. */
  readonly limitMs: number;
  /** Finds in its output what has failed first, for readers. */
  readonly failureIn?: (output: string) => string | undefined;
}

/** Commands that may find out a mutant. */
export interface Stage {
  readonly name: string;
  /**
   * Runs on unchanged code what the stage runs for these files, to know that it passes and how long it takes.
   *
   * @throws Error if it does not pass
   */
  prepare(checkout: ScratchCheckout, files: readonly string[], signal?: AbortSignal): Promise<void>;
  /** What it runs for a change of this file, one after another. */
  tasksFor(file: string): readonly Task[];
}

/** Nothing takes longer on unchanged code. */
export const LONGEST_MS = 1_800_000;

/** The limit of a task that takes so long on unchanged code. */
export const limitAfter = (usualMs: number): number => 3 * usualMs + 20_000;

/** A stage of one command, which is the same for all files. */
export function commandStage(name: string, command: Command): Stage {
  let usualMs = 0;
  return {
    name,
    async prepare(checkout, _files, signal) {
      const { how, ms, output } = await checkout.run(command, LONGEST_MS, signal);
      if (how !== 'passed' && how !== 'stopped')
        throw new Error(`The stage "${name}" does not pass on unchanged code: ${command.join(' ')}\n${output}`);
      usualMs = ms;
    },
    tasksFor: () => [{ command, limitMs: limitAfter(usualMs) }],
  };
}
