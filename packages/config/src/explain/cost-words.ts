import type { HttpRequest } from '@sluice/core/http';
import { costOf } from '../compile/cost.js';
import type { CostRule, PolicyRule } from '../file/policy-file.js';
import { countWords, listWords, numberWords } from '../words/words.js';
import type { ExplainedSentence, FilePath } from './explanation.js';

/** Says what a request costs, if it is not one unit: by the policy, and by each limit with a cost of its own. */
export function costSentences({ name, cost, limits }: PolicyRule, request?: HttpRequest): ExplainedSentence[] {
  const own = limits.flatMap(({ name: limit, cost: costs }, i) =>
    costs ? costSentence(costs, `For ${limit}, a`, ['policies', name, 'limits', i, 'cost'], request) : [],
  );
  return [...costSentence(cost, 'A', ['policies', name, 'cost'], request), ...own];
}

function costSentence(cost: CostRule, article: string, path: FilePath, request?: HttpRequest): ExplainedSentence[] {
  if (cost.from === 'constant') {
    return cost.units === 1 ? [] : [{ text: `${article} request costs ${countWords(cost.units, 'unit')}.`, path }];
  }
  const { min, max, default: usual } = cost;
  const range = `${article} request costs ${numberWords(min)} to ${countWords(max, 'unit')}`;
  if (cost.from === 'code') {
    return [{ text: `${range}, as your code says, and ${numberWords(usual)} if it says nothing.`, path }];
  }
  const trusted = `as the header ${cost.header} says if the sender is in ${listWords(cost.trustedFrom, 'or')}`;
  const sentence = { text: `${range}, ${trusted}, else ${numberWords(usual)}.`, path };
  if (!request) return [sentence];
  const units = costOf(cost, undefined);
  const text = `This request costs ${countWords(typeof units === 'number' ? units : units(request), 'unit')}.`;
  return [sentence, { text, path }];
}
