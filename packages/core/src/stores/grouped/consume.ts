import type { Verdict } from '../../values/decision.js';
import { isMistake, SluiceError } from '../../values/error.js';
import { usesSlots } from '../../values/limit.js';
import { nextOperationId } from '../../values/operation-id.js';
import { DeadlineBudget } from '../deadline.js';
import { allowedVerdict } from '../reply.js';
import type { Ask, Check, Correction, Reply } from '../store.js';
import { publishStoreError } from '../store-failure.js';
import { type Group, inTurn, isLeaky, isLeakyBucket, isShadow } from './groups.js';

/** A question that no step reaches all of, and how long its asker waits. */
interface GroupedAsk {
  readonly ask: Ask;
  readonly groups: readonly Group[];
  readonly budget: DeadlineBudget;
}

/** What became of asking a group. */
type Outcome = { readonly reply: Reply } | { readonly error: unknown };

/**
 * Decides group by group, since no step reaches across them. When one refuses or fails, what those before it spent is
 * given back. So nobody is admitted above a limit, but for a moment others may be refused for units that come back.
 * `countRejected` counts such a refusal in the group that refused, and in no other.
 *
 * A refusal is certain as soon as one limit that is enforced refuses: groups that fail besides do not change it. A
 * group of nothing but shadows that fails is told of, and counts as having admitted. Of a group that is known to be gone,
 * and has an enforced limit, the question fails at once, and no other group is asked.
 *
 * @param places - by `groupsOf`, several of them.
 * @param budget - for the whole of it; what is still answered after that is given back. Default: for ever.
 * @throws SluiceError `SLUICE_UNSUPPORTED` for an ask with `atLeast`, which no two groups can answer alike, and for enforced
 * leaky buckets in more than one group: what these have taken cannot be given back
 */
export async function consumeInGroups(
  ask: Ask,
  places: readonly Group[],
  budget: DeadlineBudget = new DeadlineBudget(),
): Promise<Reply> {
  if (ask.atLeast !== undefined) {
    throw new SluiceError('SLUICE_UNSUPPORTED', 'atLeast is for checks that are decided in one step');
  }
  const groups = inTurn(places);
  const grouped = { ask, groups, budget };
  if (ask.renew) return merged(grouped, await Promise.all(groups.map((group) => asked(ask, group, budget))));
  checkDecidable(groups);
  return ask.peek ? lookedAt(grouped) : consumed(grouped);
}

async function consumed(grouped: GroupedAsk): Promise<Reply> {
  const { ask, groups, budget } = grouped;
  const replies: Reply[] = [];
  for (const group of groups) {
    const answer = asked(ask, group, budget);
    const outcome = await outcomeOf(budget.within(answer));
    if ('error' in outcome) {
      giveBackLater(ask, group, answer);
      if (!isShadow(group) || isMistake(outcome.error)) return failed(grouped, replies, outcome.error);
      replies.push(inPlaceOf(group, outcome.error));
    } else if (outcome.reply.allowed) replies.push(outcome.reply);
    else return refused(grouped, replies, outcome.reply);
  }
  return merged(grouped, replies);
}

/** Gives back what was spent, and looks at what the other groups say now. */
async function refused(grouped: GroupedAsk, spent: readonly Reply[], refusal: Reply): Promise<Reply> {
  await giveBack(grouped, spent);
  if (refusal.outsideEdges) return refusal;
  const others = grouped.groups.filter((_, i) => i !== spent.length);
  const outcomes = await looks(grouped, others);
  outcomes.splice(spent.length, 0, { reply: refusal });
  return { ...merged(grouped, known(grouped, outcomes)), allowed: false };
}

/** Gives back what was spent. Where another group would refuse, that is the answer all the same. */
async function failed(grouped: GroupedAsk, spent: readonly Reply[], error: unknown): Promise<Reply> {
  await giveBack(grouped, spent);
  if (isMistake(error)) throw error;
  const reply = await lookedAt(grouped).catch(() => undefined);
  if (reply && !reply.allowed && !reply.outsideEdges) return reply;
  throw error;
}

async function lookedAt(grouped: GroupedAsk): Promise<Reply> {
  const outcomes = await looks(grouped, grouped.groups);
  const isRefused = outcomes.some((outcome) => 'reply' in outcome && !outcome.reply.allowed);
  const failure = outcomes.find((outcome, i) => 'error' in outcome && !isShadow(grouped.groups[i] as Group));
  if (failure && 'error' in failure && !isRefused) throw failure.error;
  return merged(grouped, known(grouped, outcomes));
}

function looks({ ask, budget }: GroupedAsk, groups: readonly Group[]): Promise<Outcome[]> {
  return Promise.all(groups.map((group) => outcomeOf(budget.within(asked({ ...ask, peek: true }, group, budget)))));
}

async function asked(ask: Ask, { checks, decider }: Group, budget: DeadlineBudget): Promise<Reply> {
  return decider.consume({ ...ask, checks }, budget);
}

/** Before anything is asked: whether these groups can decide together, and now. */
function checkDecidable(groups: readonly Group[]): void {
  const enforced = groups.filter((group) => !isShadow(group));
  const [first, second] = enforced.filter(isLeaky);
  if (first && second) throw inSeveralPlaces([first, second]);
  for (const { decider, checks } of enforced) {
    const error = decider.unavailable?.(checks);
    if (error) throw error;
  }
}

function inSeveralPlaces(leaky: readonly Group[]): SluiceError {
  const names = leaky.flatMap(({ checks }) => checks.filter(isLeakyBucket).map(({ name }) => JSON.stringify(name)));
  const message = `the leaky buckets ${names.join(' and ')} of one request are counted in different places, and what one took could not be given back when another refuses: give them the same keyGenerator, or count each policy in one place, with hashTag: 'policy' of a RedisStore`;
  return new SluiceError('SLUICE_UNSUPPORTED', message);
}

function outcomeOf(answer: Promise<Reply>): Promise<Outcome> {
  return answer.then(
    (reply) => ({ reply }),
    (error: unknown) => ({ error }),
  );
}

/** Of the first groups, those that have replied. What cannot be given back stays spent, which errs towards strict. */
async function giveBack({ ask, groups, budget }: GroupedAsk, spent: readonly Reply[]): Promise<void> {
  const returns = spent.map((reply, i) => giveBackTo(groups[i] as Group, ask, reply));
  await budget.within(Promise.all(returns)).catch(() => {});
}

/** What a group spends that was given up, should it still. */
function giveBackLater(ask: Ask, group: Group, answer: Promise<Reply>): void {
  answer.then((reply) => (reply.allowed ? giveBackTo(group, ask, reply) : undefined)).catch(() => {});
}

async function giveBackTo({ checks, decider }: Group, ask: Ask, reply: Reply): Promise<void> {
  const { verdicts, atMs } = reply;
  const changes = checks.flatMap((check, i): Correction[] => {
    const timeMs = timeOf(reply, i);
    const isCharged = check.cost > 0 && verdicts[i]?.allowed && timeMs !== undefined;
    return isCharged ? [{ ...check, cost: -check.cost, atMs: timeMs }] : [];
  });
  // A question that is repeated was given back when it was asked first. A slot has no other name than its id.
  const isOnce = ask.id !== undefined && (ask.holdMs ?? 0) > 0;
  const named = changes.filter(({ limit }) => isOnce || usesSlots(limit));
  const others = changes.filter((change) => !named.includes(change));
  await Promise.all([
    named.length > 0 && ask.id !== undefined && decider.adjust({ checks: named, atMs, id: ask.id }),
    others.length > 0 && decider.adjust({ checks: others, atMs, id: nextOperationId() }),
  ]);
}

/** What the groups have said; one that does not answer lets everything pass. */
function known({ groups }: GroupedAsk, outcomes: readonly Outcome[]): readonly Reply[] {
  return outcomes.map((outcome, i) =>
    'reply' in outcome ? outcome.reply : inPlaceOf(groups[i] as Group, outcome.error),
  );
}

/** It has charged nothing that could be given back. */
function inPlaceOf({ checks }: Group, error: unknown): Reply {
  publishStoreError(checks, error);
  return { atMs: 0, allowed: true, verdicts: checks.map(allowedVerdict), timesMs: checks.map(() => undefined) };
}

/** When the check of that place was charged; undefined if it was not. */
function timeOf({ atMs, timesMs }: Reply, place: number): number | undefined {
  return timesMs ? timesMs[place] : atMs;
}

/** One reply of many, its verdicts in the order of the ask. */
function merged({ ask: { checks }, groups }: GroupedAsk, replies: readonly Reply[]): Reply {
  const outside = replies.find(({ outsideEdges }) => outsideEdges);
  if (outside) return outside;
  const verdicts = new Map<Check, Verdict>();
  const times = new Map<Check, number | undefined>();
  groups.forEach((group, i) => {
    const reply = replies[i] as Reply;
    group.checks.forEach((check, j) => {
      verdicts.set(check, reply.verdicts[j] as Verdict);
      times.set(check, timeOf(reply, j));
    });
  });
  const atMs = Math.max(...replies.map((reply) => reply.atMs));
  const timesMs = checks.map((check) => times.get(check));
  const all = {
    atMs,
    allowed: replies.every(({ allowed }) => allowed),
    verdicts: checks.map((check) => verdicts.get(check) as Verdict),
  };
  return timesMs.every((timeMs) => timeMs === atMs) ? all : { ...all, timesMs };
}
