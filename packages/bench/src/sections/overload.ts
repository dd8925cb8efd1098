import { measureAll } from '../overload/campaign.js';
import { lineOf, tablesOf } from '../overload/tables.js';
import type { Section } from '../section.js';

/** What servers still do for their clients at three times their capacity. */
export const overload: Section = {
  title: 'Overload: servers at three times their capacity',

  async *run({ overload: options }) {
    yield* tablesOf(await measureAll(options, (result) => console.error(lineOf(result))));
  },
};
