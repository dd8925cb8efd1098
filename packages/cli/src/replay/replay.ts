// Why it is so: core/docs/why/policy-files.md

import { subscribe } from '@sluice/core';
import type { LoggedRequest } from '../log/logged-request.js';
import { KeyCounts } from './key-counts.js';
import { limitShift } from './limit-shift.js';
import { type DecisionObserver, NONE, PolicyChain } from './policy-chain.js';
import { PolicyRecorder, rangeOf } from './policy-recorder.js';
import type { ReplayResult } from './replay-result.js';
import type { ReplayedPolicy } from './replayed-policy.js';
import { RequestView, textOf } from './request-view.js';
import { type Sweep, SweepCounts } from './sweep-counts.js';
import { Timeline } from './timeline.js';
import { WorstMinute } from './worst-minute.js';

/** What is replayed. */
interface ReplayPlan {
  readonly policies: readonly ReplayedPolicy[];
  /** The policies to compare with. */
  readonly against: readonly ReplayedPolicy[] | undefined;
  readonly sweeps: readonly Sweep[];
  /** Whether times of the log are whole seconds, so that the result is a range. */
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
  | 'clients'
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

/** How exact whole seconds are. */
const RESOLUTION_MS = 1000;

/** A reading of the log with limits that are too generous or too strict. */
interface Bound {
  readonly chain: PolicyChain;
  /** How many requests each policy refused. */
  readonly refused: number[];
}

/** Replays requests, in the order in which they began, and adds up what would have happened. */
export class Replay {
  readonly #views: readonly RequestView[];
  readonly #counts: readonly PolicyRecorder[];
  readonly #evenly: PolicyChain;
  readonly #bounds: readonly Bound[];
  readonly #against: PolicyChain | undefined;
  readonly #sweeps: readonly { readonly policy: number; readonly counts: SweepCounts }[];
  /** Clients, by their key in the first policy that is asked about a request. */
  readonly #clients = new KeyCounts();
  readonly #timeline = new Timeline();
  readonly #worstMinute = new WorstMinute();
  readonly #stopListening: () => void;
  #fromMs = 0;
  #toMs = 0;
  #seen = 0;
  #unmatched = 0;
  #refused = 0;
  #answeredWell = 0;
  #newlyRefused = 0;
  #newlyAllowed = 0;
  #evictedKeys = 0;
  /** The key of the request under way in the first policy that tells clients apart. */
  #client: string | undefined;
  /** The number of the last policy that was asked about the request under way. */
  #lastAsked = NONE;

  constructor(plan: ReplayPlan) {
    const { policies, against, sweeps, isCoarse, maxKeys, startMs } = plan;
    const views = policies.map((policy) => new RequestView(policy));
    this.#views = views;
    this.#counts = views.map((view) => new PolicyRecorder(view));
    const observe: DecisionObserver = (policy, decision) => {
      const view = views[policy] as RequestView;
      if (view.policy.isOfClients) this.#client ??= view.texts[0];
      this.#lastAsked = policy;
      this.#counts[policy]?.add(decision);
    };
    this.#evenly = new PolicyChain(views, { maxKeys, startMs, observe });
    this.#bounds = (isCoarse ? [-RESOLUTION_MS, RESOLUTION_MS] : []).map((byMs) => ({
      chain: new PolicyChain(views, { maxKeys, startMs, shift: limitShift(byMs) }),
      refused: policies.map(() => 0),
    }));
    const others = against?.map((policy) => new RequestView(policy));
    this.#against = others && new PolicyChain(others, { maxKeys, startMs });
    this.#sweeps = sweeps.map((sweep) => {
      const policy = policies.findIndex(({ name }) => name === sweep.policy);
      return { policy, counts: new SweepCounts(sweep, views[policy] as RequestView, maxKeys, startMs) };
    });
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
      for (const bound of this.#bounds) addTo(bound, request);
      this.#add(request, atMs);
    }
    this.#toMs = requests.at(-1)?.atMs ?? startMs;
  }

  /** Returns the numbers, and ends the replay. */
  end(): ReplayNumbers {
    const bounds = this.#bounds.map(({ refused }) => refused);
    const policies = this.#counts.map((counts, i) => counts.result(bounds.map((refused) => refused[i] as number)));
    const totals = bounds.map((refused) => sumOf(refused, (number) => number));
    const points = this.#timeline.points();
    const numbers: ReplayNumbers = {
      fromMs: this.#fromMs,
      toMs: this.#toMs,
      resolutionMs: bounds.length > 0 ? RESOLUTION_MS : 1,
      requests: { seen: this.#seen, refused: this.#refused, refusedRange: rangeOf(this.#refused, totals) },
      unmatched: this.#unmatched,
      clients: { seen: this.#clients.seen, refused: this.#clients.refused },
      refusedAnswers: { well: this.#answeredWell, withError: this.#refused - this.#answeredWell },
      worstMinute: this.#worstMinute.worst,
      policies,
      timelineStepMs: this.#timeline.widthMs,
      timeline: points.map(({ refusedAgainst, ...point }) => (this.#against ? { ...point, refusedAgainst } : point)),
      topKeys: this.#counts
        .flatMap((counts) => counts.topKeys())
        .sort((a, b) => b.refused - a.refused)
        .slice(0, TOP),
      changes: this.#against && { newlyRefused: this.#newlyRefused, newlyAllowed: this.#newlyAllowed },
      sweeps: this.#sweeps.map(({ policy, counts }) => {
        const { requests, keys } = this.#counts[policy] as PolicyRecorder;
        return counts.result(requests, keys.seen);
      }),
      evictedKeys: this.#evictedKeys,
      withoutKey: sumOf(this.#views, ({ withoutKey }) => withoutKey),
    };
    this.close();
    return numbers;
  }

  /** Ends the replay without a result. */
  close(): void {
    this.#stopListening();
    const bounds = this.#bounds.map(({ chain }) => chain);
    const sweeps = this.#sweeps.map(({ counts }) => counts);
    for (const part of [this.#evenly, ...bounds, this.#against, ...sweeps]) part?.close();
  }

  #add(request: LoggedRequest, atMs: number): void {
    this.#lastAsked = NONE;
    this.#client = undefined;
    const refusedBy = this.#evenly.decide(request, atMs);
    const isRefused = refusedBy !== NONE;
    this.#seen += 1;
    if (this.#lastAsked === NONE) this.#unmatched += 1;
    else this.#clients.add(this.#client ?? textOf(['ip', request.ip ?? '']));
    const point = this.#timeline.at(atMs);
    point.requests += 1;
    this.#worstMinute.add(atMs, isRefused);
    if (isRefused) {
      this.#refused += 1;
      this.#clients.addRefused();
      point.refused += 1;
      if (request.status > 0 && request.status < 400) this.#answeredWell += 1;
    }
    if (this.#against) {
      const wasRefused = this.#against.decide(request, atMs) !== NONE;
      if (wasRefused) point.refusedAgainst += 1;
      if (isRefused && !wasRefused) this.#newlyRefused += 1;
      if (wasRefused && !isRefused) this.#newlyAllowed += 1;
    }
    if (this.#sweeps.length > 0) this.#sweep(request, atMs, refusedBy);
  }

  /** Sweeps get the requests that reach their policy: other numbers of it do not change what the policies before it refuse. */
  #sweep(request: LoggedRequest, atMs: number, refusedBy: number): void {
    for (const { policy, counts } of this.#sweeps) {
      if (policy <= this.#lastAsked) counts.decide(request, atMs, refusedBy === NONE || policy === refusedBy);
    }
  }
}

/** A bound takes requests at the first time at which they can have come: less than a second before they came. */
function addTo({ chain, refused }: Bound, request: LoggedRequest): void {
  const by = chain.decide(request, request.atMs);
  if (by !== NONE) refused[by] = (refused[by] as number) + 1;
}

function sumOf<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + numberOf(item), 0);
}
