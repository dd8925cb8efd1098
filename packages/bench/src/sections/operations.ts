import type { Section } from '../section.js';
import { tiers } from './tiers.js';
import { watchedDecisions } from './watched-decisions.js';
import { watchedRequests } from './watched-requests.js';

/** What watching costs a decision and a request, and what it costs that limits are chosen for each customer. */
export const operations: Section = {
  title: 'Operations: counters, listeners and tiers',

  async *run(scale) {
    yield await watchedDecisions(scale);
    yield await watchedRequests(scale);
    yield await tiers(scale, { limits: 1, asking: 'one of them' });
    yield await tiers(scale, { limits: 1, asking: 'one as often as another' });
    yield await tiers(scale, { limits: 2, asking: 'one as often as another' });
  },
};
