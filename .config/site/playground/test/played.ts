import { murmurHash } from '@sluice/core/src/values/murmur-hash';
import { run } from '../model/run.js';
import { worstWindows } from '../model/worst-window.js';
import { randomState } from './random-state.js';

/** A random input that was played, in short. */
export interface Played {
  /** Of everything that was decided, sent and measured. */
  readonly hash: number;
  readonly requests: number;
  readonly refused: number;
  readonly delayed: number;
  readonly problem: string | undefined;
  /** Whether a limit let more through than `boundOf` says. */
  readonly isAboveBound: boolean;
}

/** Plays the random inputs from one seed to another. */
export async function playedBetween(fromSeed: number, toSeed: number): Promise<Played[]> {
  const all: Played[] = [];
  for (let seed = fromSeed; seed < toSeed; seed += 1) all.push(await played(seed));
  return all;
}

async function played(seed: number): Promise<Played> {
  const { outcomes, worst, problem, ...rest } = await everythingOf(seed);
  return {
    hash: murmurHash(JSON.stringify({ outcomes, worst, problem, ...rest })),
    requests: outcomes.length,
    refused: outcomes.filter(({ fate }) => fate === 'refused').length,
    delayed: outcomes.filter(({ fate }) => fate === 'delayed').length,
    problem,
    isAboveBound: worst.some(({ measured, bound }) => measured > bound),
  };
}

/** Returns everything that is decided, sent and measured for a random input. */
export async function everythingOf(seed: number) {
  const state = randomState(seed);
  const played = await run(state, seed % 20 === 0);
  return { ...played, worst: played.problem === undefined ? worstWindows(state, played) : [] };
}
