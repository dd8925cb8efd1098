import {
  type Ask,
  type Change,
  type ChangeResult,
  type Check,
  type Reply,
  SluiceError,
  type Verdict,
} from '@sluice/core';

/** Decides about, and corrects, checks whose keys all live in one slot: in one step. */
export interface OneSlot {
  consume(ask: Ask): Promise<Reply>;
  adjust(change: Change): Promise<ChangeResult>;
}

/** The checks by what their slot is chosen by, those of shadows alone last: they spend only when the others have. */
export function bySlot(checks: readonly Check[], tagOf: (check: Check) => string): readonly (readonly Check[])[] {
  const groups = new Map<string, Check[]>();
  for (const check of checks) {
    const tag = tagOf(check);
    const group = groups.get(tag);
    if (group) group.push(check);
    else groups.set(tag, [check]);
  }
  const isShadow = (group: readonly Check[]): boolean => group.every(({ shadow }) => shadow);
  return [...groups.values()].sort((a, b) => Number(isShadow(a)) - Number(isShadow(b)));
}

/**
 * Decides slot by slot, since no step reaches across slots. When one refuses, what those before it spent is given back, so that nobody is
 * ever admitted above a limit; for a moment, though, others may be refused for units that come back. Limits in other slots do
 * not count such a refusal.
 */
export async function consumeBySlot(ask: Ask, groups: readonly (readonly Check[])[], slot: OneSlot): Promise<Reply> {
  if (ask.atLeast !== undefined) {
    throw new SluiceError('SLUICE_VERB', 'atLeast is for checks whose keys share a slot of the cluster');
  }
  if (ask.look || ask.renew)
    return merged(ask, await Promise.all(groups.map((checks) => slot.consume({ ...ask, checks }))), groups);
  const replies: Reply[] = [];
  for (const checks of groups) {
    const reply = await slot.consume({ ...ask, checks });
    if (!reply.allowed) return refused(ask, groups, replies, reply, slot);
    replies.push(reply);
  }
  return merged(ask, replies, groups);
}

/** Gives back what was spent, and looks at what the other slots say now. */
async function refused(
  ask: Ask,
  groups: readonly (readonly Check[])[],
  spent: readonly Reply[],
  refusal: Reply,
  slot: OneSlot,
): Promise<Reply> {
  await Promise.all(spent.map((reply, i) => giveBack(ask, groups[i] as readonly Check[], reply, slot)));
  if (refusal.outsideEdges) return refusal;
  const replies = await Promise.all(
    groups.map((checks, i) => (i === spent.length ? refusal : slot.consume({ ...ask, checks, look: true }))),
  );
  return { ...merged(ask, replies, groups), allowed: false };
}

async function giveBack(
  { id }: Ask,
  checks: readonly Check[],
  { verdicts, atMs }: Reply,
  slot: OneSlot,
): Promise<void> {
  const charged = checks.filter(({ cost }, i) => cost > 0 && verdicts[i]?.allowed);
  if (charged.length === 0) return;
  const changes = charged.map((check) => ({ ...check, cost: -check.cost }));
  await slot.adjust({ checks: changes, atMs, ...(id !== undefined && { id }) });
}

/** One reply of many, its verdicts in the order of the ask. */
function merged({ checks }: Ask, replies: readonly Reply[], groups: readonly (readonly Check[])[]): Reply {
  const outside = replies.find(({ outsideEdges }) => outsideEdges);
  if (outside) return outside;
  const verdicts = new Map<Check, Verdict>();
  groups.forEach((group, i) => {
    group.forEach((check, j) => {
      verdicts.set(check, replies[i]?.verdicts[j] as Verdict);
    });
  });
  return {
    atMs: Math.max(...replies.map(({ atMs }) => atMs)),
    allowed: replies.every(({ allowed }) => allowed),
    verdicts: checks.map((check) => verdicts.get(check) as Verdict),
  };
}

/** Corrects in every slot for itself. */
export async function adjustBySlot(
  change: Change,
  groups: readonly (readonly Check[])[],
  slot: OneSlot,
): Promise<ChangeResult> {
  const results = await Promise.all(groups.map((checks) => slot.adjust({ ...change, checks })));
  const order = ['outside-edges', 'applied', 'repeated', 'expired'] as const;
  return order.find((result) => results.includes(result)) ?? 'expired';
}
