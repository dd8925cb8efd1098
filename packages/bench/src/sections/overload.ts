import { measureAll } from '../overload/campaign.js';
import { lineOf, tablesOf } from '../overload/tables.js';
import type { Section } from '../section.js';

/** What servers do for their clients at half to four times their capacity. */
export const overload: Section = {
  title: 'Overload: servers at half to four times their capacity',

  async *run({ overload: options }) {
    yield* tablesOf(await measureAll(options, (result) => console.error(lineOf(result))));
  },
};
