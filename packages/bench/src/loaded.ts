import type { Decider } from './contender.js';
import { drive } from './drive.js';
import { LOADS, type Load, type LoadName } from './loads.js';
import { provenDecider } from './proven.js';
import type { Scale } from './scale.js';

/** Who decides in the process about which keys. */
export interface LoadOptions {
  readonly contender: string;
  readonly load: LoadName;
  readonly scale: Scale;
}

/** A contender that has shown that it limits, and was asked what its load asks before anything is measured. */
export async function loaded({ contender, load: name, scale }: LoadOptions): Promise<{ load: Load; decider: Decider }> {
  const load = LOADS[name](scale, contender);
  const decider = await provenDecider(contender, load.quota);
  await drive(decider, load.before);
  return { load, decider };
}
