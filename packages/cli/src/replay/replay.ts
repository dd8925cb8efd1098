import { subscribe } from '@sluice/core';
import type { LoggedRequest } from '../log/logged-request.js';
import { NONE, PolicyChain } from './policy-chain.js';
import { PolicyTally, rangeOf } from './policy-tally.js';
import type { ReplayResult } from './replay-result.js';
import type { ReplayedPolicy } from './replayed-policy.js';
import { RequestView } from './request-view.js';
import { type Sweep, SweepTally } from './sweep-tally.js';
import { Timeline } from './timeline.js';
import { WorstMinute } from './worst-minute.js';

/** What is replayed. */
export interface ReplayPlan {
  readonly policies: readonly ReplayedPolicy[];
  /** The policies to compare with. */
  readonly against: readonly ReplayedPolicy[] | undefined;
  readonly sweeps: readonly Sweep[];
  /** Whether times of the log are whole seconds, so that there are two readings. */
  readonly isCoarse: boolean;
  /** How many keys are counted at the same time, for each reading. */
  readonly maxKeys: number;
  /** The time of the first request, in Unix milliseconds. */
  readonly startMs: number;
}

/** The numbers of a replay. */
export type ReplayNumbers = Pick<
  ReplayResult,
  | 'fromMs'
  | 'toMs'
  | 'resolutionMs'
  | 'requests'
  | 'unmatched'
  | 'keys'
  | 'refusedAnswers'
  | 'worstMinute'
  | 'policies'
  | 'timelineStepMs'
  | 'timeline'
  | 'topKeys'
  | 'changes'
  | 'sweeps'
> & { readonly evictedKeys: number; readonly withoutKey: number };

/** How many keys are listed. */
const TOP = 20;

/** Replays requests, in the order in which they began, and adds up what would have happened. */
export class Replay {
  readonly #plan: ReplayPlan;
  readonly #views: readonly RequestView[];
  readonly #tallies: readonly PolicyTally[];
  readonly #evenly: PolicyChain;
  readonly #atStart: PolicyChain | undefined;
  readonly #against: PolicyChain | undefined;
  readonly #sweeps: readonly SweepTally[];
  readonly #timeline = new Timeline();
  readonly #worstMinute = new WorstMinute();
  readonly #stopListening: () => void;
  #fromMs = 0;
  #toMs = 0;
  #seen = 0;
  #unmatched = 0;
  #refused = 0;
  readonly #refusedAtStart: number[];
  #answeredWell = 0;
  #newlyRefused = 0;
  #newlyAllowed = 0;
  #evictedKeys = 0;
  /** Whether a policy was asked about the request under way. */
  #isMatched = false;

  constructor(plan: ReplayPlan) {
    const { policies, against, sweeps, isCoarse, maxKeys, startMs } = plan;
    this.#plan = plan;
    const views = policies.map((policy) => new RequestView(policy));
    this.#views = views;
    this.#tallies = views.map((view) => new PolicyTally(view));
    this.#refusedAtStart = policies.map(() => 0);
    this.#evenly = new PolicyChain(views, maxKeys, startMs, (policy, decision) => {
      this.#isMatched = true;
      this.#tallies[policy]?.add(decision);
    });
    this.#atStart = isCoarse ? new PolicyChain(views, maxKeys, startMs) : undefined;
    const others = against?.map((policy) => new RequestView(policy));
    this.#against = others && new PolicyChain(others, maxKeys, startMs);
    this.#sweeps = sweeps.map((sweep) => new SweepTally(sweep, maxKeys, startMs));
    this.#stopListening = subscribe('sluice:evicted', ({ keys }) => {
      this.#evictedKeys += keys;
    });
  }

  /** Replays the requests of one second. Seconds must not go back. */
  addSecond(second: number, requests: readonly LoggedRequest[]): void {
    const startMs = second * 1000;
    if (this.#seen === 0) this.#fromMs = requests[0]?.atMs ?? startMs;
    for (let i = 0; i < requests.length; i += 1) {
      const request = requests[i] as LoggedRequest;
      const atMs = request.isExact ? request.atMs : startMs + Math.floor((i * 1000) / requests.length);
      this.#addAtStart(request, startMs);
      this.#add(request, atMs);
    }
    this.#toMs = requests.at(-1)?.atMs ?? startMs;
  }

  /** Returns the numbers, and ends the replay. */
  end(): ReplayNumbers {
    const isCoarse = this.#atStart !== undefined;
    const policies = this.#tallies.map((tally, i) => tally.result(isCoarse ? this.#refusedAtStart[i] : undefined));
    const atStart = isCoarse ? this.#refusedAtStart.reduce((sum, refused) => sum + refused, 0) : undefined;
    const points = this.#timeline.points();
    const numbers: ReplayNumbers = {
      fromMs: this.#fromMs,
      toMs: this.#toMs,
      resolutionMs: isCoarse ? 1000 : 1,
      requests: { seen: this.#seen, refused: this.#refused, refusedRange: rangeOf(this.#refused, atStart) },
      unmatched: this.#unmatched,
      keys: {
        seen: sumOf(this.#tallies, ({ keys }) => keys.seen),
        refused: sumOf(this.#tallies, ({ keys }) => keys.refused),
      },
      refusedAnswers: { well: this.#answeredWell, withError: this.#refused - this.#answeredWell },
      worstMinute: this.#worstMinute.worst,
      policies,
      timelineStepMs: this.#timeline.widthMs,
      timeline: points.map(({ refusedAgainst, ...point }) => (this.#against ? { ...point, refusedAgainst } : point)),
      topKeys: this.#tallies
        .flatMap((tally) => tally.topKeys())
        .sort((a, b) => b.refused - a.refused)
        .slice(0, TOP),
      changes: this.#against && { newlyRefused: this.#newlyRefused, newlyAllowed: this.#newlyAllowed },
      sweeps: this.#sweeps.map((sweep, i) => this.#sweepResult(sweep, i)),
      evictedKeys: this.#evictedKeys,
      withoutKey: sumOf(this.#views, ({ withoutKey }) => withoutKey),
    };
    this.close();
    return numbers;
  }

  /** Ends the replay without a result. */
  close(): void {
    this.#stopListening();
    for (const part of [this.#evenly, this.#atStart, this.#against, ...this.#sweeps]) part?.close();
  }

  #addAtStart(request: LoggedRequest, startMs: number): void {
    if (!this.#atStart) return;
    const refusedBy = this.#atStart.decide(request, request.isExact ? request.atMs : startMs);
    if (refusedBy !== NONE) this.#refusedAtStart[refusedBy] = (this.#refusedAtStart[refusedBy] as number) + 1;
  }

  #add(request: LoggedRequest, atMs: number): void {
    this.#isMatched = false;
    const isRefused = this.#evenly.decide(request, atMs) !== NONE;
    this.#seen += 1;
    if (!this.#isMatched) this.#unmatched += 1;
    const point = this.#timeline.at(atMs);
    point.requests += 1;
    this.#worstMinute.add(atMs, isRefused);
    if (isRefused) {
      this.#refused += 1;
      point.refused += 1;
      if (request.status > 0 && request.status < 400) this.#answeredWell += 1;
    }
    if (this.#against) {
      const wasRefused = this.#against.decide(request, atMs) !== NONE;
      if (wasRefused) point.refusedAgainst += 1;
      if (isRefused && !wasRefused) this.#newlyRefused += 1;
      if (wasRefused && !isRefused) this.#newlyAllowed += 1;
    }
    for (const sweep of this.#sweeps) sweep.decide(request, atMs);
  }

  #sweepResult(sweep: SweepTally, i: number) {
    const name = this.#plan.sweeps[i]?.policy;
    const tally = this.#tallies[this.#plan.policies.findIndex((policy) => policy.name === name)];
    return sweep.result(tally?.requests ?? 0, tally?.keys.seen ?? 0);
  }
}

function sumOf<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + numberOf(item), 0);
}
