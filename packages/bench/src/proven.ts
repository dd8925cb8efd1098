import type { Decider, Quota } from './contender.js';
import { memoryContender } from './contenders/memory/index.js';
import { PROOF_LIMIT, proveThatItLimits } from './proof.js';

/** A contender that counts in the process, after it has shown that it limits. */
export async function provenDecider(name: string, quota: Quota): Promise<Decider> {
  const contender = await memoryContender(name);
  const trial = await contender({ limit: PROOF_LIMIT, windowMs: 3_600_000 });
  await proveThatItLimits(name, trial);
  await trial.close();
  return contender(quota);
}
