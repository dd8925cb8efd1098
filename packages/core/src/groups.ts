import { nextChargeId } from './charge-id.js';
import type { Verdict } from './decision.js';
import { SluiceError } from './error.js';
import { getOrMake } from './get-or-make.js';
import type { Ask, Change, ChangeResult, Check, Reply } from './store.js';

/** Decides about, and corrects, checks in one step that are all within its reach. */
export interface Decider {
  consume(ask: Ask): Promise<Reply>;
  adjust(change: Change): Promise<ChangeResult>;
}

/** The checks of a question that are within one decider's reach. */
export interface Group {
  readonly checks: readonly Check[];
  readonly decider: Decider;
}

/**
 * The checks, grouped by the place where they are decided, which `placeOf` names. Groups of nothing but shadows come
 * last, since they spend only when the others have.
 */
export function groupsOf<Place>(
  checks: readonly Check[],
  placeOf: (check: Check) => Place,
  deciderOf: (place: Place) => Decider,
): readonly Group[] {
  const places = new Map<Place, Check[]>();
  for (const check of checks) getOrMake(places, placeOf(check), (): Check[] => []).push(check);
  const groups = [...places].map(([place, checks]) => ({ checks, decider: deciderOf(place) }));
  return groups.sort((a, b) => Number(isShadow(a)) - Number(isShadow(b)));
}

const isShadow = ({ checks }: Group): boolean => checks.every(({ shadow }) => shadow);

/**
 * Decides group by group, since no step reaches across them. When one refuses or fails, what those before it spent is
 * given back. So nobody is admitted above a limit, but for a moment others may be refused for units that come back.
 * `countRejected` counts such a refusal in the group that refused, and in no other.
 *
 * @throws SluiceError `SLUICE_VERB` for an ask with `atLeast`, which no two groups can answer alike
 */
export async function consumeInGroups(ask: Ask, groups: readonly Group[]): Promise<Reply> {
  if (ask.atLeast !== undefined) {
    throw new SluiceError('SLUICE_VERB', 'atLeast is for checks that are decided in one step');
  }
  if (ask.look || ask.renew) return merged(ask, groups, await Promise.all(groups.map((group) => asked(ask, group))));
  const replies: Reply[] = [];
  for (const group of groups) {
    const reply = await asked(ask, group).catch(async (error) => {
      // What cannot be given back either stays spent, which errs towards strict.
      await giveBack(ask, groups, replies).catch(() => {});
      throw error;
    });
    if (!reply.allowed) return refused(ask, groups, replies, reply);
    replies.push(reply);
  }
  return merged(ask, groups, replies);
}

/**
 * Corrects each group by itself. Where they say different things, one that has to be asked again answers for all, then
 * one in which something was changed.
 */
export async function adjustInGroups(change: Change, groups: readonly Group[]): Promise<ChangeResult> {
  const results = await Promise.all(groups.map(({ checks, decider }) => decider.adjust({ ...change, checks })));
  const order = ['outside-edges', 'applied', 'repeated', 'expired'] as const;
  return order.find((result) => results.includes(result)) ?? 'expired';
}

async function asked(ask: Ask, { checks, decider }: Group): Promise<Reply> {
  return decider.consume({ ...ask, checks });
}

/** Gives back what was spent, and looks at what the other groups say now. */
async function refused(ask: Ask, groups: readonly Group[], spent: readonly Reply[], refusal: Reply): Promise<Reply> {
  await giveBack(ask, groups, spent);
  if (refusal.outsideEdges) return refusal;
  const replies = await Promise.all(
    groups.map((group, i) => (i === spent.length ? refusal : asked({ ...ask, look: true }, group))),
  );
  return { ...merged(ask, groups, replies), allowed: false };
}

/** Of the first groups, those that have replied. By an id, since a network may deliver it twice. */
async function giveBack(
  { id = nextChargeId() }: Ask,
  groups: readonly Group[],
  spent: readonly Reply[],
): Promise<void> {
  await Promise.all(
    spent.map(async ({ verdicts, atMs }, i) => {
      const { checks, decider } = groups[i] as Group;
      const charged = checks.filter(({ cost }, j) => cost > 0 && verdicts[j]?.allowed);
      if (charged.length === 0) return;
      const changes = charged.map((check) => ({ ...check, cost: -check.cost }));
      await decider.adjust({ checks: changes, atMs, id });
    }),
  );
}

/** One reply of many, its verdicts in the order of the ask. */
function merged({ checks }: Ask, groups: readonly Group[], replies: readonly Reply[]): Reply {
  const outside = replies.find(({ outsideEdges }) => outsideEdges);
  if (outside) return outside;
  const verdicts = new Map<Check, Verdict>();
  groups.forEach((group, i) => {
    group.checks.forEach((check, j) => {
      verdicts.set(check, replies[i]?.verdicts[j] as Verdict);
    });
  });
  return {
    atMs: Math.max(...replies.map(({ atMs }) => atMs)),
    allowed: replies.every(({ allowed }) => allowed),
    verdicts: checks.map((check) => verdicts.get(check) as Verdict),
  };
}
