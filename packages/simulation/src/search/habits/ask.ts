import type { CallStep, Step } from '../../tape/tape.js';
import type { DrawnRun, PolicyOutline } from '../drawing/drawn-run.js';

/** One request, and what becomes of it. */
export interface Request {
  readonly process: number;
  readonly facts: PolicyOutline;
  readonly subject: number;
  readonly cost: number;
  readonly id?: string;
  readonly rememberMs?: number;
}

/** Returns the steps of a request: a `consume`, or a reservation that is given back later where the request takes a slot. */
export function ask(run: DrawnRun, request: Request, atMs: number): readonly Step[] {
  if (request.facts.takesSlots) return reserveAndEnd(run, request, atMs);
  return [{ atMs, call: 'consume', ...spendOf(request), ...operationOf(request) }];
}

/** Returns a reservation, and how it ends: soon, late, never, or twice. */
export function reserveAndEnd(run: DrawnRun, request: Request, atMs: number): readonly Step[] {
  const as = run.name();
  return [reservation(run, request, as, atMs), ...ends(run, as, request.cost, atMs)];
}

export function reservation(run: DrawnRun, request: Request, as: number, atMs: number): CallStep {
  const { draws } = run;
  const expires = draws.happens(0.2) && {
    expiresMs: Math.max(1, run.gap()),
    ...(draws.happens(0.7) && { onExpiry: draws.of(['keep', 'giveBack'] as const) }),
  };
  return { atMs, call: 'reserve', as, ...spendOf(request), ...operationOf(request), ...expires };
}

/** Returns what becomes of the reservation `of` that was asked for at `atMs`. */
export function ends(run: DrawnRun, of: number, cost: number, atMs: number): readonly CallStep[] {
  const { draws } = run;
  const endMs = atMs + (draws.happens(0.5) ? run.pause() : run.gap());
  const settle = (): CallStep => ({ atMs: endMs, call: 'settle', of, actual: actualOf(run, cost) });
  const later = (): number => endMs + (draws.happens(0.3) ? 0 : run.gap());
  return draws.weighted<() => readonly CallStep[]>([
    [30, () => [settle()]],
    [30, () => [{ atMs: endMs, call: 'cancel', of }]],
    [10, () => [{ atMs: endMs, call: 'release', of }]],
    [
      8,
      () => [
        { atMs: endMs, call: 'release', of },
        { ...settle(), atMs: later() },
      ],
    ],
    [6, () => [settle(), { atMs: later(), call: 'cancel', of }]],
    [
      4,
      () => [
        { atMs: endMs, call: 'cancel', of },
        { ...settle(), atMs: later() },
      ],
    ],
    [12, () => []],
  ])();
}

/** Returns what a request has really cost: often what was reserved, or less, sometimes more. */
export function actualOf({ draws }: DrawnRun, cost: number): number {
  return draws.weighted([
    [3, cost],
    [4, draws.whole(0, cost)],
    [2, 0],
    [2, cost + draws.scaled(1, Math.max(2, 2 * cost))],
  ]);
}

export function spendOf({ process, facts, subject, cost }: Request): {
  readonly process: number;
  readonly policy: number;
  readonly subject: number;
  readonly cost: number;
} {
  return { process, policy: facts.policy, subject, cost };
}

function operationOf({ id, rememberMs }: Request): { readonly id?: string; readonly rememberMs?: number } {
  if (id === undefined) return {};
  return rememberMs === undefined ? { id } : { id, rememberMs };
}
