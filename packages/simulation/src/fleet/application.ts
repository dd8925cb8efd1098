import type { Charge, Decision, Limiter, Line, PolicyOptions, Reservation } from '@sluice/core';
import type { SimulatedProcess } from '../process/simulated-process.js';
import type { CallStep, Setup } from '../tape/tape.js';
import { PHASE } from '../world/event-queue.js';
import type { World } from '../world/world.js';
import type { CallLog, OpenCall } from './call-log.js';
import { ModelCalls } from './models/model-calls.js';
import { limitItems, policyOptions } from './policies.js';
import { ProcessStores, type StorePlace } from './stores.js';

type AnyLimiter = Limiter<string, boolean>;
type Spending = Extract<CallStep, { readonly cost: number }>;

/** A reservation or a charge that steps name, in whatever process it was made. */
export interface Handles {
  readonly reservations: Map<number, HeldReservation>;
  readonly charges: Map<number, SharedCharge>;
  /** What waits for a reservation that is not granted yet. */
  readonly waiting: Map<number, (() => void)[]>;
}

interface HeldReservation {
  readonly reservation: Reservation<boolean>;
  readonly application: Application;
  /** The call that made it. */
  readonly made: OpenCall;
}

interface SharedCharge {
  /** As JSON, in which another process gets it. */
  readonly text: string;
  readonly made: OpenCall;
}

/** One process of the fleet: our packages, and an application that calls them as the steps say. */
export class Application {
  readonly process: SimulatedProcess;
  readonly number: number;
  readonly stores: ProcessStores;
  readonly #world: World;
  readonly #setup: Setup;
  readonly #endMs: number;
  readonly #log: CallLog;
  readonly #handles: Handles;
  readonly #options: readonly PolicyOptions<[subject: string]>[];
  readonly #limiters: readonly AnyLimiter[];
  readonly #lines: (Line<string> | undefined)[] = [];
  readonly #variants: number[];
  readonly #models: ModelCalls;

  /** @param endMs - when clients stop asking by themselves */
  constructor(
    number: number,
    variant: number,
    endMs: number,
    setup: Setup,
    place: StorePlace,
    log: CallLog,
    handles: Handles,
  ) {
    this.number = number;
    this.#endMs = endMs;
    this.process = place.process;
    this.#world = place.world;
    this.#setup = setup;
    this.#log = log;
    this.#handles = handles;
    this.stores = new ProcessStores(place, setup.store);
    const { core } = this.process.exports;
    this.#variants = setup.policies.map(({ variants }) => Math.min(variant, variants.length - 1));
    this.#options = setup.policies.map((policy, i) =>
      policyOptions(core, policy, this.#variants[i] as number, this.stores.front),
    );
    this.#limiters = this.#options.map((options) => core.createLimiter<string>(options));
    this.#models = new ModelCalls(
      { number, process: this.process, world: place.world, log, store: this.stores.front },
      setup.plans ?? [],
    );
    core.subscribe('sluice:breaker', (detail) => log.event(number, 'sluice:breaker', detail));
  }

  /** Makes the calls of a step. */
  call(step: CallStep): void {
    switch (step.call) {
      case 'consume':
        for (let i = 0; i < (step.times ?? 1); i += 1)
          this.#decide(step, () => this.#limiter(step).consume(subjectOf(step), spendOf(step)));
        return;
      case 'peek':
        this.#decide(step, () => this.#limiter(step).peek(subjectOf(step), { cost: step.cost }));
        break;
      case 'charge':
      case 'refund':
        this.#decide(step, () => this.#limiter(step)[step.call](subjectOf(step), { cost: step.cost }));
        break;
      case 'obey':
        this.#obey(step, step.times);
        break;
      case 'reserve':
        this.#reserve(step, () =>
          this.#limiter(step).reserve(subjectOf(step), { ...spendOf(step), ...expiryOf(step) }),
        );
        break;
      case 'wait':
        this.#reserve(step, () =>
          this.#limiter(step).wait(subjectOf(step), { cost: step.cost, maxWait: step.maxWaitMs }),
        );
        break;
      case 'run':
        this.#work(step);
        break;
      case 'block':
        this.#done(step, () => this.#limiter(step).block(subjectOf(step), step.forMs));
        break;
      case 'unblock':
      case 'reset':
        this.#find(step, () => this.#limiter(step)[step.call](subjectOf(step)));
        break;
      case 'correct':
        this.#correct(step);
        break;
      case 'model-call':
      case 'model-look':
        this.#models.call(step);
        break;
      case 'replace':
        this.#replace(step);
        break;
      case 'close':
        this.#close(step);
        break;
      default:
        throw new Error(`The fleet makes the call ${step.call} where its reservation is`);
    }
  }

  /** Makes a call about a reservation of this application. */
  callOf(step: Extract<CallStep, { readonly of: number }>, held: HeldReservation): void {
    const { reservation, made } = held;
    switch (step.call) {
      case 'settle':
        this.#ends(step, made, () => reservation.settle(this.#amounts(made.policy, step.actual)));
        break;
      case 'cancel':
      case 'release':
        this.#ends(step, made, () => reservation[step.call]());
        break;
      case 'share': {
        const call = this.#log.begin(this.number, step, made);
        this.#log.follow(call, () => {
          const charge = this.process.exports.core.chargeOf(reservation, { expires: step.expiresMs });
          if (charge) this.#handles.charges.set(step.as, { text: JSON.stringify(charge), made });
          return { done: true };
        });
      }
    }
  }

  #limiter({ policy }: { readonly policy: number }): AnyLimiter {
    return this.#limiters[policy] as AnyLimiter;
  }

  #begin(step: Extract<CallStep, { readonly policy: number }>): OpenCall {
    return this.#log.begin(this.number, step, undefined, this.#variants[step.policy]);
  }

  #decide(step: Spending, ask: () => Decision | Promise<Decision>): void {
    const call = this.#begin(step);
    this.#log.follow(call, ask, (decision) => ({ decision }));
  }

  /** A client that asks for the next time when the answer says that it would be allowed. */
  #obey(step: Extract<CallStep, { readonly call: 'obey' }>, times: number): void {
    if (times <= 0) return;
    const call = this.#begin(step);
    this.#log.follow(
      call,
      () => this.#limiter(step).consume(subjectOf(step), { cost: step.cost }),
      (decision) => {
        const waits = decision.verdicts.filter(({ shadow }) => !shadow).map(({ retryAfterMs }) => retryAfterMs);
        const waitMs = Math.max(0, ...waits.map((ms) => (ms === 'never' ? Number.POSITIVE_INFINITY : ms)));
        if (this.#world.nowMs + waitMs <= this.#endMs) this.#later(waitMs, () => this.#obey(step, times - 1));
        return { decision };
      },
    );
  }

  #reserve(
    step: Extract<CallStep, { readonly as: number; readonly cost: number }>,
    reserve: () => Reservation<boolean> | Promise<Reservation<boolean>>,
  ): void {
    const call = this.#begin(step);
    this.#log.follow(call, reserve, (reservation) => {
      this.#handles.reservations.set(step.as, { reservation, application: this, made: call });
      for (const go of this.#handles.waiting.get(step.as)?.splice(0) ?? []) go();
      return { decision: reservation };
    });
  }

  #work(step: Extract<CallStep, { readonly call: 'run' }>): void {
    const line = this.#line(step.policy);
    const call = this.#begin(step);
    const work = (_signal: AbortSignal, reservation: Reservation<boolean>): Promise<void> =>
      new Promise((resolve) => {
        this.#log.work(call, 'work', reservation);
        this.#later(step.worksForMs, () => {
          this.#log.work(call, 'work-over');
          resolve();
        });
      });
    this.#log.follow(
      call,
      () => line.run(subjectOf(step), work, { cost: step.cost, maxWait: step.maxWaitMs }),
      () => ({ done: true }),
    );
  }

  #line(policy: number): Line<string> {
    let line = this.#lines[policy];
    if (!line) {
      line = this.process.exports.core.createLine({ limiter: this.#limiters[policy] as AnyLimiter });
      this.#lines[policy] = line;
    }
    return line;
  }

  #done(step: Extract<CallStep, { readonly policy: number }>, run: () => unknown): void {
    this.#log.follow(this.#begin(step), run, () => ({ done: true }));
  }

  #find(step: Extract<CallStep, { readonly policy: number }>, run: () => boolean | Promise<boolean>): void {
    this.#log.follow(this.#begin(step), run, (found) => ({ found }));
  }

  #ends(step: CallStep, made: OpenCall, run: () => unknown): void {
    const call = this.#log.begin(this.number, step, made);
    this.#log.follow(call, run, () => ({ done: true }));
  }

  #correct(step: Extract<CallStep, { readonly call: 'correct' }>): void {
    const shared = this.#handles.charges.get(step.charge);
    if (!shared) return;
    const call = this.#log.begin(this.number, step, shared.made);
    const limiter = this.#limiters[shared.made.policy] as AnyLimiter;
    const correction =
      step.actual === undefined
        ? { cancel: true as const }
        : { actual: this.#amounts(shared.made.policy, step.actual) };
    this.#log.follow(
      call,
      () => limiter.correct(JSON.parse(shared.text) as Charge, correction),
      (result) => ({ result }),
    );
  }

  #replace(step: Extract<CallStep, { readonly call: 'replace' }>): void {
    const { core } = this.process.exports;
    const variants = this.#setup.policies[step.policy]?.variants ?? [];
    const variant = Math.min(step.variant, variants.length - 1);
    const call = this.#log.begin(this.number, step, undefined, variant);
    this.#log.follow(call, () => {
      core.replacePolicy(this.#options[step.policy] as object, { limits: limitItems(core, variants[variant] ?? []) });
      this.#variants[step.policy] = variant;
      return { done: true };
    });
  }

  /** A number does not settle limits with a cost of their own. If all have one, the amounts are stated limit by limit. */
  #amounts(policy: number, actual: number): number | Record<string, number> {
    const limits = this.#setup.policies[policy]?.variants[this.#variants[policy] as number] ?? [];
    if (limits.some(({ cost }) => cost === undefined)) return actual;
    return Object.fromEntries(limits.map(({ name }) => [name, actual]));
  }

  #close(step: Extract<CallStep, { readonly call: 'close' }>): void {
    const call = this.#log.begin(this.number, step);
    this.#log.follow(
      call,
      () => this.stores.front.close(),
      () => {
        this.stores.disconnect();
        this.process.crash();
        return { done: true };
      },
    );
  }

  #later(ms: number, run: () => void): void {
    this.#world.after(ms, PHASE.timers, run, this.process);
  }
}

function subjectOf({ subject }: { readonly subject: number }): string {
  return `s${subject}`;
}

function spendOf(step: Extract<CallStep, { readonly call: 'consume' | 'reserve' }>) {
  return {
    cost: step.cost,
    ...(step.id !== undefined && { id: step.id }),
    ...(step.rememberMs !== undefined && step.id !== undefined && { rememberFor: step.rememberMs }),
  };
}

function expiryOf({ expiresMs, onExpiry }: Extract<CallStep, { readonly call: 'reserve' }>) {
  return expiresMs === undefined ? {} : { expires: expiresMs, ...(onExpiry && { onExpiry }) };
}
