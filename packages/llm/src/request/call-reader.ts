import { SluiceError } from '@sluice/core';
import { type Eventual, warn, whenReady } from '@sluice/core/values';
import { type ReadCallOptions, readCall } from '../call/read-call.js';
import { type CheckedOptions, checkExpected } from '../checked-options.js';
import type { LlmOptions } from '../llm-options.js';
import type { ExpectedOutput } from '../plan/expected-output.js';
import type { PlanSource } from '../plan/plan-source.js';
import type { CallSource } from '../plan/policy-items.js';
import { isBatch, plannedBatch } from './batch-reader.js';
import { addressOf } from './call-address.js';
import { CallRegistry } from './call-registry.js';
import { givenBody, ruledBody } from './given-body.js';
import { type Decided, keepDecided } from './last-decided.js';
import { type ModelChoice, takeChoice } from './model-choice.js';
import { type CallInput, type PlannedCall, plannedCall } from './planned-call.js';

type Args = readonly unknown[];

type Format = CallInput['call']['format'];

/** The cap of a call that states none, if nobody has said how much its model makes. Every model of today makes as much. */
const LONGEST_OUTPUT = 4096;

/** What a reader of calls works with. */
interface CallReaderParts<A extends Args> {
  readonly bodyOf: LlmOptions<A>['call'];
  readonly read: LlmOptions<A>['read'];
  readonly batchFile: LlmOptions<A>['batchFile'];
  readonly options: CheckedOptions;
  readonly plans: PlanSource<A>;
  readonly learned: ExpectedOutput;
  readonly settling: Decided['settling'];
  /** Returns the same error, which then also refuses an HTTP request. */
  refusing(error: SluiceError, format: Format | undefined): Error;
}

/** Reads the calls of requests: the body, the plans, and what the call holds. */
export class CallReader<A extends Args> implements CallSource<A> {
  /** The calls that it has read. */
  readonly calls = new CallRegistry();
  readonly #parts: CallReaderParts<A>;
  #hasWarned = false;

  constructor(parts: CallReaderParts<A>) {
    this.#parts = parts;
  }

  readonly begin = (...args: A): Eventual<PlannedCall> =>
    this.calls.begin(args[0], () =>
      whenReady(this.#read(args), (call) => {
        keepDecided(args[0], call, this.#parts.settling);
        return call;
      }),
    );

  readonly current = (...args: A): Eventual<PlannedCall> => this.calls.of(args[0]) ?? this.begin(...args);

  #read(args: A): Eventual<PlannedCall> {
    const choice = takeChoice(args[0]);
    // The models of a batch stand in its calls.
    if (choice?.before) return this.#rechosen(choice.before, choice);
    const { bodyOf, read, plans } = this.#parts;
    const address = read?.format === undefined ? this.#refusing(undefined, () => addressOf(args[0])) : undefined;
    const format = read?.format ?? address?.format;
    return whenReady(bodyOf(...args), (given) => {
      if (isBatch(format)) return this.#readBatch(args, given, format);
      const stated = this.#refusing(format, () =>
        ruledBody(this.#parts.options.rules, givenBody(given, { format, request: args[0] })),
      );
      const call = this.#refusing(format, () => readCall(stated.body, { ...address, ...read } as ReadCallOptions));
      return whenReady(plans.plansOf(args), (chosenPlans) => {
        const input = { ...stated, call, plans: chosenPlans, tried: 0 };
        return this.#planned(choice ? chosen(input, choice) : input);
      });
    });
  }

  #rechosen(before: PlannedCall, choice: ModelChoice): Eventual<PlannedCall> {
    return before.call.batch ? before : this.#planned(chosen({ ...before, call: before.asked }, choice));
  }

  /** A body by itself never says that it is a batch. */
  #readBatch(args: A, given: unknown, format: Parameters<typeof plannedBatch>[1]): Eventual<PlannedCall> {
    const { plans, options, read, batchFile } = this.#parts;
    const planned = whenReady(plans.plansOf(args), (chosenPlans) =>
      plannedBatch(given, format, {
        rules: options.rules,
        read,
        fileOf: batchFile && ((id) => batchFile(id, ...args)),
        plan: async (body, call) => this.#planned({ body, ruled: [], call, plans: chosenPlans, tried: 0 }),
      }),
    );
    return Promise.resolve(planned).catch((error: unknown) => this.#refusing(format, () => raise(error)));
  }

  #planned(input: Unplanned): Eventual<PlannedCall> {
    const { options, plans } = this.#parts;
    return whenReady(this.#expectedOutput(input.call), (expected) =>
      this.#refusing(input.call.format, () => {
        const outputs = { expected, ceiling: options.prices?.maxOutput(input.call.model) ?? LONGEST_OUTPUT };
        const planned = plannedCall({ ...input, outputs }, { ...options, limits: plans.limits });
        this.#warnOfCap(planned);
        return planned;
      }),
    );
  }

  #expectedOutput(call: CallInput['call']): Eventual<number> {
    const { learned, options } = this.#parts;
    const { expectedOutput } = options;
    if (typeof expectedOutput !== 'function') return expectedOutput ?? learned.of(call.model);
    return whenReady(expectedOutput(call), (tokens) => checkExpected(tokens, 'expectedOutput()'));
  }

  /** Answers that are cut because nobody has said how long they can be must not be a riddle. */
  #warnOfCap({ call, sentCap }: PlannedCall): void {
    if (this.#hasWarned || sentCap !== LONGEST_OUTPUT || call.outputCap !== undefined) return;
    const { model } = call;
    if (this.#parts.options.prices?.maxOutput(model) !== undefined) return;
    this.#hasWarned = true;
    warn(
      'SLUICE_LLM_MAX_OUTPUT',
      `the price of ${model} has no maxOutput, so calls without a cap are sent with one of ${LONGEST_OUTPUT} tokens`,
    );
  }

  #refusing<T>(format: Format | undefined, attempt: () => T): T {
    try {
      return attempt();
    } catch (error) {
      throw isOfCall(error) ? this.#parts.refusing(error, format) : error;
    }
  }
}

/** Whether an error is about the call, and none of a function of the application. */
function isOfCall(error: unknown): error is SluiceError {
  return error instanceof SluiceError && (error.code === 'SLUICE_LLM_CALL' || error.code === 'SLUICE_UNAVAILABLE');
}

function raise(error: unknown): never {
  throw error;
}

type Unplanned = Omit<CallInput, 'outputs'>;

/** Returns the same call with the chosen model. */
function chosen(
  { body, text, bytes, ruled, call, plans, degradedFrom = call.model }: Unplanned,
  { model, tried }: ModelChoice,
): Unplanned {
  const stated = { body, ...(text !== undefined && { text }), ...(bytes && { bytes }), ruled };
  const changed = { ...stated, call: { ...call, model }, plans, tried };
  return model === degradedFrom ? changed : { ...changed, degradedFrom };
}
