import type { Verdict } from '../../values/decision.js';
import { isMistake, SluiceError } from '../../values/error.js';
import { usesSlots } from '../../values/limit.js';
import { nextOperationId } from '../../values/operation-id.js';
import { DeadlineBudget } from '../deadline.js';
import { isRemembered, slotIdOf } from '../operation-record.js';
import { allowedVerdict } from '../reply.js';
import type { Ask, Check, Correction, Reply } from '../store.js';
import { publishStoreError } from '../store-failure.js';
import { checkGuarantees, type Group, inTurn, isLeaky, isLeakyBucket, isLevel, isShadow } from './groups.js';

/** An ask that no single step reaches as a whole, and how long the caller waits. */
interface GroupedAsk {
  readonly ask: Ask;
  readonly groups: readonly Group[];
  readonly budget: DeadlineBudget;
}

/** The result of asking one group. */
type Outcome = { readonly reply: Reply } | { readonly error: unknown };

/**
 * Decides group by group, because no step reaches all groups. If a group refuses or fails, the units that earlier
 * groups spent are given back, as `RETURNS` says. So no limit is exceeded, but for a moment another request may be refused
 * because of units that come back. If the groups remember their replies, units stay spent after a failure: groups that have
 * replied give the same reply to a repeated ask, and are charged for it only once. Before a token bucket spends, the groups
 * after it are looked at: what they would refuse must not cost the bucket the little that it may lose by giving back. A group that
 * would refuse is then asked next. The groups beside the one that refused record the refusal, as one step would: by
 * `countRejected`, and by `blockDuration` of the limits that refuse as well.
 *
 * The request is refused as soon as one enforced limit refuses, whatever happens to the other groups. If a group of
 * shadow checks fails, the failure is published, and the group counts as allowed. If a group with an enforced limit is
 * known to be unreachable, the ask fails at once, and no other group is asked.
 *
 * @param places - several groups, as `groupsOf` returns them
 * @param budget - the time for all groups together; units that are spent after it are given back. Default: no end.
 * @throws SluiceError `SLUICE_UNSUPPORTED` for an ask with `atLeast`, for a guarantee whose parts are in another group,
 * and for enforced leaky buckets in more than one group, because a leaky bucket gives nothing back
 */
export async function consumeInGroups(
  ask: Ask,
  places: readonly Group[],
  budget: DeadlineBudget = new DeadlineBudget(),
): Promise<Reply> {
  if (ask.atLeast !== undefined) {
    throw new SluiceError('SLUICE_UNSUPPORTED', 'atLeast needs checks that are decided in one step');
  }
  checkGuarantees(ask.checks, places);
  const groups = inTurn(places);
  const grouped = { ask, groups, budget };
  if (ask.renew) return merged(grouped, await Promise.all(groups.map((group) => asked(ask, group, budget))));
  checkDecidable(groups);
  return ask.peek ? peeked(grouped) : consumed(grouped);
}

async function consumed(grouped: GroupedAsk): Promise<Reply> {
  const { ask, budget } = grouped;
  const replies: Reply[] = [];
  const firstLevel = grouped.groups.findIndex(isLevel);
  let groups = grouped.groups;
  let current = ask;
  for (let i = 0; i < groups.length; i += 1) {
    if (i === firstLevel) groups = await refusingNext({ ...grouped, groups }, i);
    const group = groups[i] as Group;
    const answer = asked(current, group, budget);
    const outcome = await outcomeOf(budget.within(answer));
    if ('error' in outcome) {
      if (!isRemembered(ask)) giveBackLater(ask, group, answer);
      if (!isShadow(group) || isMistake(outcome.error)) return failed({ ...grouped, groups }, replies, outcome.error);
      replies.push(inPlaceOf(group, outcome.error));
    } else if (outcome.reply.allowed) {
      replies.push(outcome.reply);
      current = inSameAttempt(ask, outcome.reply);
    } else return refused({ ...grouped, groups }, replies, outcome.reply, i);
  }
  return merged({ ...grouped, groups }, replies);
}

/** Whether a reply repeats an earlier one. */
function isOfBefore({ nowMs }: Reply): boolean {
  return nowMs !== undefined;
}

/**
 * Asks later groups for the attempt that the first one has decided, so that one attempt names the slots and corrections of
 * all of them. A group that has admitted another attempt decides anew: its charge is that of an operation which has ended. The first
 * group knows that, because slots come first.
 */
function inSameAttempt(ask: Ask, { attempt }: Reply): Ask {
  return attempt === undefined ? ask : { ...ask, attempt, onlyAttempt: true };
}

/**
 * Looks at the groups after a place. Returns all groups, with the first that would refuse at this place, so that it is asked next:
 * its refusal is then recorded and remembered as any other.
 */
async function refusingNext(grouped: GroupedAsk, at: number): Promise<readonly Group[]> {
  const { groups } = grouped;
  const later = groups.slice(at + 1).filter((group) => !isShadow(group));
  if (later.length === 0) return groups;
  const outcomes = await peekAll(grouped, later);
  const refusing = later.find((_, i) => isRefusal(outcomes[i] as Outcome));
  if (!refusing) return groups;
  return [...groups.slice(0, at), refusing, ...groups.slice(at).filter((group) => group !== refusing)];
}

/** Gives back what was spent, and has the groups beside the one that refused record the refusal, unless it is an earlier one. */
async function refused(grouped: GroupedAsk, spent: readonly Reply[], refusal: Reply, place: number): Promise<Reply> {
  if (refusal.outsideEdges) {
    if (!isRemembered(grouped.ask)) await giveBack(grouped, spent);
    return refusal;
  }
  await giveBack(grouped, spent);
  const others = grouped.groups.filter((_, i) => i !== place);
  const outcomes = await (isOfBefore(refusal) ? peekAll : refuseAll)(grouped, others);
  outcomes.splice(place, 0, { reply: refusal });
  return { ...merged(grouped, known(grouped, outcomes)), allowed: false };
}

/**
 * Gives back what was spent. If another group would refuse, the reply is that refusal, and the groups record it; otherwise the error
 * is thrown. The group that failed is not asked again.
 */
async function failed(grouped: GroupedAsk, spent: readonly Reply[], error: unknown): Promise<Reply> {
  if (!isRemembered(grouped.ask)) await giveBack(grouped, spent);
  if (isMistake(error)) throw error;
  const others = grouped.groups.filter((_, i) => i !== spent.length);
  const looks = await peekAll(grouped, others);
  const refusals = looks.filter(isRefusal);
  if (refusals.length === 0) throw error;
  const isNew = others.some(hasPenalties) && !refusals.some(({ reply }) => isOfBefore(reply));
  const told = isNew ? await refuseAll(grouped, others) : looks;
  const outcomes = told.some(isRefusal) ? told : looks;
  outcomes.splice(spent.length, 0, { error });
  const reply = merged(grouped, known(grouped, outcomes));
  if (reply.outsideEdges) throw error;
  return reply;
}

async function peeked(grouped: GroupedAsk): Promise<Reply> {
  const outcomes = await peekAll(grouped, grouped.groups);
  const isRefused = outcomes.some(isRefusal);
  const failure = outcomes.find((outcome, i) => 'error' in outcome && !isShadow(grouped.groups[i] as Group));
  if (failure && 'error' in failure && !isRefused) throw failure.error;
  return merged(grouped, known(grouped, outcomes));
}

/** Peeks at groups that another one has refused. Those whose limits have penalties record them first. */
function refuseAll(grouped: GroupedAsk, groups: readonly Group[]): Promise<Outcome[]> {
  const { ask, budget } = grouped;
  const { holdMs, ...anew } = ask;
  const refuse = (group: Group): Promise<Outcome> =>
    outcomeOf(budget.within(asked({ ...anew, peek: 'refused' }, group, budget)));
  return Promise.all(
    groups.map(async (group) => {
      const told = hasPenalties(group) ? await refuse(group) : undefined;
      // A group that remembers its reply shows it to this call as to those that repeat it.
      return told && !isRemembered(ask) ? told : peekOne(grouped, group);
    }),
  );
}

/** Whether a refused request leaves anything behind here. */
function hasPenalties({ checks }: Group): boolean {
  return checks.some(({ limit }) => limit.countRejected !== undefined || limit.blockMs !== undefined);
}

function isRefusal(outcome: Outcome): outcome is Extract<Outcome, { reply: Reply }> {
  return 'reply' in outcome && !outcome.reply.allowed;
}

function peekAll(grouped: GroupedAsk, groups: readonly Group[]): Promise<Outcome[]> {
  return Promise.all(groups.map((group) => peekOne(grouped, group)));
}

function peekOne({ ask, budget }: GroupedAsk, group: Group): Promise<Outcome> {
  return outcomeOf(budget.within(asked({ ...ask, peek: true }, group, budget)));
}

async function asked(ask: Ask, { checks, decider }: Group, budget: DeadlineBudget): Promise<Reply> {
  return decider.consume({ ...ask, checks }, budget);
}

/** Checks, before any group is asked, that these groups can decide together, and that they are reachable. */
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
  const message = `the leaky buckets ${names.join(' and ')} of one request are counted in different places, and a leaky bucket cannot give units back if another limit refuses: give them the same keyGenerator, or count each policy in one place, with hashTag: 'policy' of a RedisStore`;
  return new SluiceError('SLUICE_UNSUPPORTED', message);
}

function outcomeOf(answer: Promise<Reply>): Promise<Outcome> {
  return answer.then(
    (reply) => ({ reply }),
    (error: unknown) => ({ error }),
  );
}

/**
 * Gives back what the groups that have replied spent. If that fails, the units stay spent, which is the strict side.
 */
async function giveBack({ ask, groups, budget }: GroupedAsk, spent: readonly Reply[]): Promise<void> {
  const returns = spent.map((reply, i) => giveBackTo(groups[i] as Group, ask, reply));
  await budget.within(Promise.all(returns)).catch(() => {});
}

/** Gives back what a group still spends after the ask was given up. */
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
  // If the groups remember their replies, a repeated ask was given back when it was first asked. A slot has no other name
  // than its id.
  const isOnce = isRemembered(ask);
  const named = changes.filter(({ limit }) => isOnce || usesSlots(limit));
  const others = changes.filter((change) => !named.includes(change));
  const id = slotIdOf({ ...ask, ...(reply.attempt !== undefined && { attempt: reply.attempt }) });
  const kept = isOnce ? { keptUntilMs: atMs + ask.holdMs } : {};
  await Promise.all([
    named.length > 0 && id !== undefined && decider.adjust({ checks: named, atMs, id, ...kept, unspent: true }),
    others.length > 0 && decider.adjust({ checks: others, atMs, id: nextOperationId(), unspent: true }),
  ]);
}

/** Returns the replies. A group that failed is treated as allowed. */
function known({ groups }: GroupedAsk, outcomes: readonly Outcome[]): readonly Reply[] {
  return outcomes.map((outcome, i) =>
    'reply' in outcome ? outcome.reply : inPlaceOf(groups[i] as Group, outcome.error),
  );
}

/** The reply in place of a group that failed. It has charged nothing that could be given back. */
function inPlaceOf({ checks }: Group, error: unknown): Reply {
  publishStoreError(checks, error);
  return { atMs: 0, allowed: true, verdicts: checks.map(allowedVerdict), timesMs: checks.map(() => undefined) };
}

/** Returns when the check at this index was charged; undefined if it was not. */
function timeOf({ atMs, timesMs }: Reply, place: number): number | undefined {
  return timesMs ? timesMs[place] : atMs;
}

/** Merges the replies into one, with the verdicts in the order of the ask. */
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
  const attempt = replies.find((reply) => reply.attempt !== undefined)?.attempt;
  const repeated = replies.filter(isOfBefore);
  const all = {
    atMs,
    ...(attempt !== undefined && { attempt }),
    ...(repeated.length > 0 && { nowMs: Math.max(...replies.map(({ nowMs, atMs }) => nowMs ?? atMs)) }),
    allowed: replies.every(({ allowed }) => allowed),
    verdicts: checks.map((check) => verdicts.get(check) as Verdict),
  };
  return timesMs.every((timeMs) => timeMs === atMs) ? all : { ...all, timesMs };
}
