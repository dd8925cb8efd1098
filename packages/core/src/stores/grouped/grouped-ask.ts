import type { DeadlineBudget } from '../deadline.js';
import type { Ask, Reply } from '../store.js';
import type { Group } from './groups.js';

/** An ask that no single step reaches as a whole, and how long the caller waits. */
export interface GroupedAsk {
  readonly ask: Ask;
  readonly groups: readonly Group[];
  readonly budget: DeadlineBudget;
}

/** The result of asking one group. */
export type Outcome = { readonly reply: Reply } | { readonly error: unknown };

/** Asks one group about its checks. */
export async function askGroup(ask: Ask, { checks, decider }: Group, budget: DeadlineBudget): Promise<Reply> {
  return decider.consume({ ...ask, checks }, budget);
}

/** Returns the result of an answer, which is no error of its own if the group fails. */
export function outcomeOf(answer: Promise<Reply>): Promise<Outcome> {
  return answer.then(
    (reply) => ({ reply }),
    (error: unknown) => ({ error }),
  );
}

/** Looks at one group. */
export function peekOne({ ask, budget }: GroupedAsk, group: Group): Promise<Outcome> {
  return outcomeOf(budget.within(askGroup({ ...ask, peek: true }, group, budget)));
}

/** Looks at several groups at once. */
export function peekAll(grouped: GroupedAsk, groups: readonly Group[]): Promise<readonly Outcome[]> {
  return Promise.all(groups.map((group) => peekOne(grouped, group)));
}

/** Whether a group refuses. */
export function isRefusal(outcome: Outcome): outcome is Extract<Outcome, { reply: Reply }> {
  return 'reply' in outcome && !outcome.reply.allowed;
}

/** Whether a reply repeats an earlier one. */
export function isRepetition({ nowMs }: Reply): boolean {
  return nowMs !== undefined;
}
