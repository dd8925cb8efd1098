import type { Decision } from '@sluice/core';
import type { CallStep, Setup } from '../tape/tape.js';
import type { World } from '../world/world.js';
import type { DecisionSeen, ModelCallEnds, ModelCallOver, ModelPart, Observation, Outcome } from './observation.js';

/** A call that was made. */
export interface OpenCall {
  readonly number: number;
  readonly atMs: number;
  readonly process: number;
  /** The indexes and names that it is about. */
  readonly policy: number;
  readonly subject: string;
  readonly variant: number;
}

/** Reports the calls of applications, and their answers, to whoever observes the run. */
export class CallLog {
  readonly #world: World;
  readonly #setup: Setup;
  readonly #observe: (observation: Observation) => void;
  readonly #wasStalled: (process: number, sinceMs: number) => boolean;
  #calls = 0;

  constructor(
    world: World,
    setup: Setup,
    observe: (observation: Observation) => void,
    wasStalled: (process: number, sinceMs: number) => boolean,
  ) {
    this.#world = world;
    this.#setup = setup;
    this.#observe = observe;
    this.#wasStalled = wasStalled;
  }

  get calls(): number {
    return this.#calls;
  }

  /** @param about - the call whose reservation or charge this one corrects */
  begin(process: number, step: CallStep, about?: OpenCall, variant?: number): OpenCall {
    this.#calls += 1;
    const call: OpenCall = {
      number: this.#calls,
      atMs: this.#world.nowMs,
      process,
      policy: 'policy' in step ? step.policy : (about?.policy ?? 0),
      subject: 'subject' in step ? `s${step.subject}` : (about?.subject ?? ''),
      variant: variant ?? about?.variant ?? 0,
    };
    this.#observe({
      kind: 'call',
      call: call.number,
      atMs: call.atMs,
      process,
      step,
      policy: ('plan' in step ? this.#setup.plans?.[step.plan] : this.#setup.policies[call.policy])?.name ?? '',
      subject: call.subject,
      variant: call.variant,
      ...(about && { corrects: about.number }),
    });
    return call;
  }

  /** Makes a call, and reports its answer when there is one. */
  follow<T>(
    call: OpenCall,
    run: () => T | Promise<T>,
    outcomeOf: (answer: T) => Outcome | { decision: Decision } = asIs,
  ): void {
    const end = (answer: T): void => this.#end(call, outcomeOf(answer));
    const fail = (error: unknown): void => this.#end(call, { error: errorOf(error) });
    let answer: T | Promise<T>;
    try {
      answer = run();
    } catch (error) {
      fail(error);
      return;
    }
    if (answer instanceof Promise) answer.then(end, fail);
    else end(answer);
  }

  /** @param decision - what admitted the work that begins */
  work(call: OpenCall, kind: 'work' | 'work-over', decision?: Decision): void {
    const { nowMs } = this.#world;
    if (kind === 'work' && decision) this.#observe({ kind, call: call.number, atMs: nowMs, decision: seen(decision) });
    else this.#observe({ kind, call: call.number, atMs: nowMs });
  }

  /** Shows what becomes of a call of a model. */
  model(call: OpenCall, seen: ModelSeen): void {
    this.#observe({ ...seen, call: call.number, atMs: this.#world.nowMs });
  }

  event(process: number, event: string, detail: unknown): void {
    this.#observe({ kind: 'event', atMs: this.#world.nowMs, process, event, detail });
  }

  #end(call: OpenCall, outcome: Outcome | { decision: Decision }): void {
    this.#observe({
      kind: 'answer',
      call: call.number,
      atMs: this.#world.nowMs,
      wasStalled: this.#wasStalled(call.process, call.atMs),
      outcome: 'decision' in outcome ? { decision: seen(outcome.decision) } : outcome,
    });
  }
}

/** What is seen of a call of a model, without its number and its moment. */
type ModelSeen = Unplaced<ModelPart> | Unplaced<ModelCallEnds> | Unplaced<ModelCallOver>;

type Unplaced<T> = Omit<T, 'call' | 'atMs'>;

function asIs<T>(answer: T): Outcome {
  return answer as Outcome;
}

function seen({ allowed, source, retryAfterMs, delayMs, verdicts }: Decision | DecisionSeen): DecisionSeen {
  return { allowed, source, retryAfterMs, delayMs, verdicts };
}

function errorOf(error: unknown): { name: string; code?: string; message: string } {
  if (!(error instanceof Error)) return { name: typeof error, message: String(error) };
  const { name, message } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { name, message, ...(code !== undefined && { code }) };
}
