// Why it is so: docs/why/several-servers.md

import { usesSlots } from '../../values/limit.js';
import { nextOperationId } from '../../values/operation-id.js';
import { askTimeoutOf } from '../ask-timeout.js';
import { isRemembered, slotIdOf, UNSPENT_FOR_MS } from '../operation-record.js';
import type { Ask, Correction, Reply } from '../store.js';
import type { GroupedAsk } from './grouped-ask.js';
import type { Group } from './groups.js';
import { timeOf } from './merged.js';

/**
 * Gives back what the groups that have replied spent, as `RETURNS` says. If that fails, the units stay spent, which is the strict
 * side.
 */
export async function giveBack({ ask, groups, budget }: GroupedAsk, spent: readonly Reply[]): Promise<void> {
  const returns = spent.map((reply, i) => giveBackTo(groups[i] as Group, ask, reply));
  await budget.within(Promise.all(returns)).catch(() => {});
}

/** Gives back what a group still spends after the ask was given up. */
export function giveBackLater(ask: Ask, group: Group, answer: Promise<Reply>): void {
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
  // A repeated ask gives back as long as the reply is remembered.
  const notAfterMs = atMs + (isOnce ? ask.holdMs : 0) + UNSPENT_FOR_MS;
  const terms = { atMs, unspent: true, notAfterMs, ...askTimeoutOf(ask) } as const;
  await Promise.all([
    named.length > 0 && id !== undefined && decider.adjust({ ...terms, checks: named, id, ...kept }),
    others.length > 0 && decider.adjust({ ...terms, checks: others, id: nextOperationId() }),
  ]);
}
