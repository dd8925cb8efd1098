import { withCosts } from '../costs.js';
import { drive } from '../drive.js';
import { LOADS, type LoadName } from '../loads.js';
import { processorMs } from '../processor-time.js';
import { provenDecider } from '../proven.js';
import type { Scale } from '../scale.js';

export interface DecisionsOptions {
  readonly contender: string;
  readonly load: LoadName;
  readonly scale: Scale;
}

/** Until everything is compiled that will be. */
const WARM_UPS = 4;

export async function start({ contender, load: name, scale }: DecisionsOptions) {
  const load = LOADS[name](scale, contender);
  const decider = await provenDecider(contender, load.quota);
  const driven = load.hasCosts ? withCosts(decider) : decider;
  await drive(decider, load.before);
  let decisions = scale.decisions;

  /** Nanoseconds of the processor per decision. */
  const round = async (): Promise<number> => {
    const keys = load.keys(decisions);
    const startMs = processorMs();
    await drive(driven, keys);
    return ((processorMs() - startMs) * 1e6) / keys.length;
  };

  for (let i = 0; i < WARM_UPS; i += 1) {
    decisions = Math.max(decisions, Math.floor((scale.roundMs * 1e6) / (await round())));
  }
  return { round };
}
