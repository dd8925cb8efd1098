// Why it is so: core/docs/why/outgoing-calls.md

import { type Limit, slidingWindow, unlimited } from '@sluice/core';
import type { Advice } from '../headers/advice.js';
import { MOST_SLOTS, slots } from './slots.js';

/** How many policies of a server one key can have. Further ones are ignored. */
export const MOST_POLICIES = 8;

/** Finer sub-windows than the default waste less of the limit. */
const SUB_WINDOWS = 100;

/** Larger quotas are no limit to a client. */
const LARGEST_QUOTA = 1e9;

/** The longest window that is learned: ten years. */
const LONGEST_WINDOW_MS = 315_360_000_000;

/**
 * How much longer than stated a window is kept at least: a twentieth of it, because servers count in sub-windows, and a
 * little for networks whose delays differ from request to request.
 */
const SUB_WINDOW_OF_SERVERS = 1 / 20;
const NETWORK_MS = 150;

/** A policy that answers have not stated for this many windows, and this long, is forgotten. */
const KEPT_WINDOWS = 10;
const KEPT_MS = 600_000;

/**
 * How long a server is believed that states limits by which nothing may be sent: an hour after its last word, it is asked
 * again.
 */
export const LONGEST_BELIEF_MS = 3_600_000;

/** A policy of a server, as its answers state it. */
interface LearnedPolicy {
  readonly name: string;
  readonly quota: number;
  /** Undefined for requests at the same time. */
  readonly windowMs: number | undefined;
  /** Whether the server states no window, so that the longest wait that it stated stands for it. */
  readonly isInferred: boolean;
  readonly statedAtMs: number;
}

/** The policies that a server has stated to one key. Each has a slot, which all processes find by its name. */
export class LearnedPolicies {
  readonly #slots: (LearnedPolicy | undefined)[] = Array.from({ length: MOST_POLICIES });
  readonly #limits: (Limit | undefined)[] = Array.from({ length: MOST_POLICIES });
  /** By how many hundredths the limits below are longer than necessary. */
  #steps = 0;
  #statedAtMs = 0;

  /** The name of the policy in a slot; undefined if the slot is free. */
  nameOf(slot: number): string | undefined {
    return this.#slots[slot]?.name;
  }

  /** The slot of a policy; undefined if it is not known. */
  slotOf(name: string): number | undefined {
    const slot = this.#slots.findIndex((policy) => policy?.name === name);
    return slot < 0 ? undefined : slot;
  }

  /** The names of all of them. */
  get names(): readonly string[] {
    return this.#slots.flatMap((policy) => policy?.name ?? []);
  }

  /** For how many milliseconds they are still believed, if the server states nothing more; Infinity if there are none. */
  beliefLeftMs(nowMs: number): number {
    return this.areKnown ? Math.max(0, this.#statedAtMs + LONGEST_BELIEF_MS - nowMs) : Number.POSITIVE_INFINITY;
  }

  /** Forgets all of them. */
  clear(): void {
    this.#slots.fill(undefined);
    this.#limits.fill(undefined);
  }

  /** Whether the server has stated any. */
  get areKnown(): boolean {
    return this.#slots.some((policy) => policy !== undefined);
  }

  /** Whether a policy of a slot counts requests at the same time. */
  get holdsSlot(): boolean {
    return this.#slots.some((policy) => policy !== undefined && policy.windowMs === undefined);
  }

  /** The longest time that one request takes from its share of a window: of the policy with the lowest rate. */
  get spacingMs(): number {
    return Math.max(
      0,
      ...this.#slots.map((policy) => (policy?.windowMs ? keptMs(policy.windowMs, this.#steps) / policy.quota : 0)),
    );
  }

  /** The shortest window; undefined if there is none. */
  get shortestMs(): number | undefined {
    const windows = this.#slots.flatMap((policy) => policy?.windowMs ?? []);
    return windows.length === 0 ? undefined : Math.min(...windows);
  }

  /** The limit that a slot is counted by. The windows are longer than stated by the given hundredths. */
  limitOf(slot: number, steps: number): Limit {
    if (steps !== this.#steps) {
      this.#steps = steps;
      this.#limits.fill(undefined);
    }
    this.#limits[slot] ??= limitFor(this.#slots[slot], steps);
    return this.#limits[slot];
  }

  /** Takes in what an answer states. */
  learn(advice: readonly Advice[], nowMs: number): void {
    const stated = policiesOf(advice, nowMs);
    for (const policy of stated) this.#learn(policy, nowMs);
    if (stated.length === 0) return;
    this.#statedAtMs = nowMs;
    this.#forget(nowMs);
  }

  #learn(policy: LearnedPolicy, nowMs: number): void {
    const slot = this.slotOf(policy.name) ?? this.#freeSlot(policy.name);
    if (slot === undefined) return;
    const known = this.#slots[slot];
    const next = known ? stricter(known, policy, nowMs) : policy;
    this.#slots[slot] = next;
    if (next.quota !== known?.quota || next.windowMs !== known.windowMs) this.#limits[slot] = undefined;
  }

  /** The first free slot, from the one that the name points to. */
  #freeSlot(name: string): number | undefined {
    let sum = 0;
    for (let i = 0; i < name.length; i += 1) sum = (31 * sum + name.charCodeAt(i)) % 65_536;
    for (let i = 0; i < MOST_POLICIES; i += 1) {
      const slot = (sum + i) % MOST_POLICIES;
      if (!this.#slots[slot]) return slot;
    }
    return undefined;
  }

  #forget(nowMs: number): void {
    for (const [slot, policy] of this.#slots.entries()) {
      if (!policy || nowMs - policy.statedAtMs <= Math.max(KEPT_MS, KEPT_WINDOWS * (policy.windowMs ?? 0))) continue;
      this.#slots[slot] = undefined;
      this.#limits[slot] = undefined;
    }
  }
}

/**
 * Returns what tells the policy of an advice from others. The window belongs to it, because servers state several limits
 * without names, or under one name.
 */
export function policyNameOf({ policy = '', unit, partition = '', windowMs = 0 }: Advice): string {
  return JSON.stringify([policy, unit, partition, windowMs]);
}

/** Whether a client that counts requests can keep this limit. */
function isCountable({ unit, limit = 0 }: Advice): boolean {
  if (unit === 'concurrent-requests') return limit >= 1 && limit <= MOST_SLOTS;
  return unit === 'requests' && limit >= 1 && limit <= LARGEST_QUOTA;
}

/**
 * Returns the policies that an answer states. Where the server states windows, what it states without one says the same in
 * another way.
 */
function policiesOf(advice: readonly Advice[], statedAtMs: number): readonly LearnedPolicy[] {
  const countable = advice.filter(isCountable);
  const hasWindows = countable.some(({ windowMs }) => windowMs !== undefined);
  return countable.flatMap((one) => {
    const { unit, limit: quota = 0, windowMs, resetAfterMs } = one;
    const policy = { name: policyNameOf(one), quota, statedAtMs };
    if (unit === 'concurrent-requests') return { ...policy, windowMs: undefined, isInferred: false };
    const isInferred = windowMs === undefined;
    const lengthMs = Math.ceil(windowMs ?? (hasWindows ? 0 : (resetAfterMs ?? 0)));
    return lengthMs >= 1 && lengthMs <= LONGEST_WINDOW_MS ? { ...policy, windowMs: lengthMs, isInferred } : [];
  });
}

/**
 * Returns which of two statements about a policy counts: the stricter one, for as long as a window. An inferred window
 * only grows.
 */
function stricter(known: LearnedPolicy, stated: LearnedPolicy, nowMs: number): LearnedPolicy {
  if (stated.isInferred && stated.quota === known.quota)
    return { ...stated, windowMs: Math.max(stated.windowMs ?? 0, known.windowMs ?? 0) };
  const isOld = nowMs - known.statedAtMs > (known.windowMs ?? 0);
  return isOld || rateOf(stated) <= rateOf(known) ? stated : known;
}

function rateOf({ quota, windowMs = 1 }: LearnedPolicy): number {
  return quota / windowMs;
}

function limitFor(policy: LearnedPolicy | undefined, steps: number): Limit {
  if (!policy) return unlimited();
  const { quota, windowMs } = policy;
  if (windowMs === undefined) return slots(quota);
  return slidingWindow({ limit: quota, window: `${keptMs(windowMs, steps)}ms`, buckets: SUB_WINDOWS });
}

/** Returns the window that a client keeps, so that the server never counts more in its own. */
function keptMs(windowMs: number, steps: number): number {
  const grainMs = windowMs * SUB_WINDOW_OF_SERVERS;
  return Math.ceil((windowMs + grainMs + Math.min(NETWORK_MS, grainMs)) * (1 + steps / 100));
}
