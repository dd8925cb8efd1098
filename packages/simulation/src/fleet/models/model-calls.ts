import type { Reservation, Store } from '@sluice/core';
import type { Meter } from '@sluice/llm';
import type { SimulatedProcess } from '../../process/simulated-process.js';
import type { CallStep, ModelCall, PlanSetup } from '../../tape/tape.js';
import { PHASE } from '../../world/event-queue.js';
import type { World } from '../../world/world.js';
import type { CallLog, OpenCall } from '../call-log.js';
import { jobOf, lookOf, type ModelJob, type PlanLimiter, planLimiter, sentCap } from './model-plan.js';
import { type AnswerPart, answerOf, inputOf, queuedAnswer } from './provider.js';

type ModelStep = Extract<CallStep, { readonly plan: number }>;

/** What calls of models need of the application that makes them. */
interface ModelCallPlace {
  readonly number: number;
  readonly process: SimulatedProcess;
  readonly world: World;
  readonly log: CallLog;
  readonly store: Store;
}

/** The calls of language models that one process makes: each is reserved, followed, and settled by a meter. */
export class ModelCalls {
  readonly #place: ModelCallPlace;
  readonly #plans: readonly PlanLimiter[];

  constructor(place: ModelCallPlace, plans: readonly PlanSetup[]) {
    this.#place = place;
    this.#plans = plans.map((plan) => planLimiter(place.process.exports, plan, place.store));
    if (plans.some(({ isWatched }) => isWatched)) this.#watchBudgets();
  }

  #watchBudgets(): void {
    const { number, log, store, process } = this.#place;
    process.exports.llm.watchBudgets((reached) => log.event(number, 'budget-reached', reached), { store });
  }

  call(step: ModelStep): void {
    const { number, log } = this.#place;
    const plan = this.#plans[step.plan];
    if (!plan) throw new Error(`The tape has no plan ${step.plan}`);
    const call = log.begin(number, step);
    if (step.call === 'model-look') {
      log.follow(
        call,
        () => plan.limiter.peek(lookOf(step.subject)),
        (decision) => ({ decision }),
      );
      return;
    }
    const job = jobOf(step, plan.setup);
    log.follow(
      call,
      () => plan.limiter.reserve(job),
      (reservation) => {
        // What follows must be seen after the answer.
        if (reservation.allowed) queueMicrotask(() => this.#send(plan, { step, job, call, reservation }));
        return { decision: reservation };
      },
    );
  }

  #send(plan: PlanLimiter, { step, job, call, reservation }: AdmittedModelCall): void {
    const { llm: llmPackage } = this.#place.process.exports;
    const { llm, setup } = plan;
    const { unseen } = setup;
    const read = llmPackage.readCall(job.body, { format: step.dialect, ...(unseen !== undefined && { unseen }) });
    const held = Object.fromEntries(reservation.verdicts.map(({ name, cost }) => [name, cost]));
    const cap = sentCap(setup, read.inputCeiling, held, read.outputCap);
    const output = Math.min(step.outputTokens, Math.max(0, cap));
    const followed = new FollowedCall(this.#place, step, call, llm.meter(reservation, read), output);
    if (step.fetchedAfterMs === undefined) followed.begin();
    else followed.beginInBackground(llm);
  }
}

interface AdmittedModelCall {
  readonly step: ModelCall;
  readonly job: ModelJob;
  readonly call: OpenCall;
  readonly reservation: Reservation<boolean>;
}

/** One call on its way: the parts of its answer come one after another, and somebody says how it ended. */
class FollowedCall {
  readonly #place: ModelCallPlace;
  readonly #step: ModelCall;
  readonly #call: OpenCall;
  readonly #meter: Meter;
  readonly #output: number;
  readonly #parts: readonly AnswerPart[];
  #letters = 0;
  #isStated = false;

  constructor(place: ModelCallPlace, step: ModelCall, call: OpenCall, meter: Meter, output: number) {
    this.#place = place;
    this.#step = step;
    this.#call = call;
    this.#meter = meter;
    this.#output = output;
    this.#parts = partsThatCome(step, answerOf(step, output));
  }

  begin(): void {
    const { takesMs } = this.#step;
    const everyMs = takesMs / (this.#parts.length + 1);
    this.#parts.forEach((part, i) => {
      this.#after(everyMs * (i + 1), () => this.#take(part));
    });
    if (this.#step.ends !== 'never') this.#after(takesMs, () => this.#end());
  }

  /** The request is answered at once by an id, and the answer of the model is fetched later. */
  beginInBackground(llm: PlanLimiter['llm']): void {
    const { takesMs, fetchedAfterMs = 0 } = this.#step;
    const id = `resp_${this.#call.number}`;
    this.#after(takesMs, () => {
      this.#take(queuedAnswer(id));
      void this.#meter.end('complete');
    });
    if (this.#step.ends !== 'never') this.#after(takesMs + fetchedAfterMs, () => this.#fetch(llm, id));
  }

  #fetch(llm: PlanLimiter['llm'], id: string): void {
    const [answer] = this.#parts as [AnswerPart];
    this.#letters = answer.letters;
    this.#isStated = true;
    this.#ends(this.#meter.ended);
    const fetched = async (): Promise<Response> => new Response(answer.bytes);
    void llm.collect(new Request('http://gateway.example'), id, fetched).then((response) => response.text());
  }

  #take({ bytes, letters, isUsage }: AnswerPart): void {
    this.#letters += letters;
    this.#isStated ||= isUsage && this.#step.ends !== 'wrong-usage';
    this.#place.log.model(this.#call, { kind: 'model-part', letters: this.#letters });
    this.#meter.push(bytes);
  }

  #end(): void {
    const { ends, endsAgain } = this.#step;
    this.#ends(this.#meter.end(HOW[ends]));
    if (endsAgain) void this.#meter.end(endsAgain);
  }

  /** Shows that the call has ended, and when it is settled. */
  #ends(settled: Promise<void>): void {
    this.#place.log.model(this.#call, {
      kind: 'model-call-ends',
      how: HOW[this.#step.ends],
      ...(this.#isStated && { stated: { input: inputOf(this.#step), output: this.#output } }),
    });
    const { warnings } = this.#place.process;
    const warned = warnings.length;
    void settled.then(() => {
      const hasFailed = warnings.slice(warned).some((text) => text.includes(NOT_SETTLED));
      this.#place.log.model(this.#call, { kind: 'model-call-over', ...(hasFailed && { hasFailed: true }) });
    });
  }

  #after(ms: number, run: () => void): void {
    this.#place.world.after(ms, PHASE.network, run, this.#place.process);
  }
}

/** How a meter warns whose settlement has failed. */
const NOT_SETTLED = 'was not settled';

/** What the application says of each end. A relay says `broken`, too, when its client leaves. */
const HOW = {
  complete: 'complete',
  'no-usage': 'complete',
  'wrong-usage': 'complete',
  broken: 'broken',
  'client-leaves': 'broken',
  refused: 'refused',
  unsent: 'unsent',
  never: 'abandoned',
} as const;

/** Returns the parts that come before the call ends. */
function partsThatCome({ ends }: ModelCall, parts: readonly AnswerPart[]): readonly AnswerPart[] {
  switch (ends) {
    case 'refused':
    case 'unsent':
      return [];
    case 'broken':
    case 'never':
      // Not what has the usage, however short the answer is.
      return parts.slice(
        0,
        Math.min(
          Math.floor(parts.length / 2),
          parts.findIndex(({ isUsage }) => isUsage),
        ),
      );
    case 'client-leaves':
      return parts.length > 1 ? parts.slice(0, -1) : parts;
    default:
      return parts;
  }
}
