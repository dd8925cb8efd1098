import { type Eventual, whenReady } from '@sluice/core/http';
import { LlmCallError } from '../call/call-error.js';
import type { LlmCall } from '../call/llm-call.js';
import { readCall } from '../call/read-call.js';
import { type CheckedOptions, checkExpected } from '../checked-options.js';
import type { LlmOptions } from '../llm-options.js';
import type { ExpectedOutput } from '../plan/expected-output.js';
import type { PlanSource } from '../plan/plan-source.js';
import type { CallSource } from '../plan/policy-items.js';
import { addressOf } from './call-address.js';
import { CallRegistry } from './call-registry.js';
import { type ModelChoice, takeChoice } from './model-choice.js';
import { type CallInput, type PlannedCall, plannedCall } from './planned-call.js';
import { keepSentCap } from './sent-cap.js';

type Args = readonly unknown[];

/** What a reader of calls works with. */
interface CallReaderParts<A extends Args> {
  readonly bodyOf: LlmOptions<A>['call'];
  readonly read: LlmOptions<A>['read'];
  readonly options: CheckedOptions;
  readonly plans: PlanSource<A>;
  readonly learned: ExpectedOutput;
  /** Returns the same error, which then also refuses an HTTP request. */
  refusing(error: LlmCallError): Error;
}

/** Reads the calls of requests: the body, the plans, and what the call holds. */
export class CallReader<A extends Args> implements CallSource<A> {
  /** The calls that it has read. */
  readonly calls = new CallRegistry();
  readonly #parts: CallReaderParts<A>;

  constructor(parts: CallReaderParts<A>) {
    this.#parts = parts;
  }

  readonly begin = (...args: A): Eventual<PlannedCall> =>
    this.calls.begin(args[0], () =>
      whenReady(this.#read(args), (call) => {
        keepSentCap(args[0], call);
        return call;
      }),
    );

  readonly current = (...args: A): Eventual<PlannedCall> => this.calls.of(args[0]) ?? this.begin(...args);

  #read(args: A): Eventual<PlannedCall> {
    const choice = takeChoice(args[0]);
    if (choice?.before) return this.#planned(chosen(choice.before, choice));
    const { bodyOf, read, plans } = this.#parts;
    const address = read?.format === undefined ? this.#refusing(() => addressOf(args[0])) : undefined;
    return whenReady(bodyOf(...args), (body) => {
      const call = this.#refusing(() => readCall(body, { ...address, ...read }));
      return whenReady(plans.plansOf(args), (chosenPlans) => {
        const input = { body, call, plans: chosenPlans, tried: 0 };
        return this.#planned(choice ? chosen(input, choice) : input);
      });
    });
  }

  #planned(input: Omit<CallInput, 'expectedOutput'>): Eventual<PlannedCall> {
    const { options, plans } = this.#parts;
    return whenReady(this.#expectedOutput(input.call), (expectedOutput) =>
      this.#refusing(() => plannedCall({ ...input, expectedOutput }, { ...options, limits: plans.limits })),
    );
  }

  #expectedOutput(call: LlmCall): Eventual<number> {
    const { learned, options } = this.#parts;
    const { expectedOutput, hold, prices } = options;
    // What is held is sent as a cap, so it must not shrink to the usual answer, which would then be cut.
    const most = hold === 'ceiling' ? prices?.maxOutput(call.model) : undefined;
    if (typeof expectedOutput !== 'function') return expectedOutput ?? most ?? learned.of(call.model);
    return whenReady(expectedOutput(call), (tokens) => checkExpected(tokens, 'expectedOutput()'));
  }

  #refusing<T>(attempt: () => T): T {
    try {
      return attempt();
    } catch (error) {
      throw error instanceof LlmCallError ? this.#parts.refusing(error) : error;
    }
  }
}

type Unplanned = Omit<CallInput, 'expectedOutput'>;

/** Returns the same call with the chosen model. */
function chosen({ body, call, plans, degradedFrom = call.model }: Unplanned, { model, tried }: ModelChoice): Unplanned {
  const changed = { body, call: { ...call, model }, plans, tried };
  return model === degradedFrom ? changed : { ...changed, degradedFrom };
}
