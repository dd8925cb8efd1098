import { ADMISSIONS } from '../contenders/admission.js';
import { OUTCOME_NAMES, type Outcome } from '../contenders/http/outcomes.js';
import { roundsOfWorkers } from '../rounds-of-workers.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import { ratios, spreadOf } from '../spread.js';
import type { Table } from '../table.js';
import { ALLOCATION_FLAGS } from './allocation.js';

/** What a request costs in the half that all frameworks share, without a framework and a network. */
export const admission: Section = {
  title: 'Admission: the half of a request that all frameworks share',

  async *run(scale) {
    for (const outcome of OUTCOME_NAMES) yield await tableOf(outcome, scale);
  },
};

async function tableOf(outcome: Outcome, scale: Scale): Promise<Table> {
  const optionsOf = (contender: string): object => ({ contender, outcome, scale });
  const costs = await roundsOfWorkers('admission', [...ADMISSIONS.keys()], optionsOf, scale, ALLOCATION_FLAGS);
  const nsOf = (name: string): number[] => (costs.get(name) ?? []).map(({ ns }) => ns);
  const [counter = ''] = costs.keys();
  return {
    caption: `A request of each of ${scale.allocations.toLocaleString('en-US')} clients, ${outcome}`,
    head: ['', 'bytes allocated', 'ns of the processor', 'times those of the Map counter'],
    rows: [...costs].map(([name, all]) => [
      name,
      spreadOf(all.map(({ bytes }) => bytes)).median,
      spreadOf(nsOf(name)).median,
      name === counter ? '' : ratios(nsOf(name), nsOf(counter)),
    ]),
  };
}
