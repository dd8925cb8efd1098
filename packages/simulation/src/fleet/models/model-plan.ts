import type { Limiter, Store } from '@sluice/core';
import type { Llm, LlmPlan } from '@sluice/llm';
import type { Exports } from '../../process/exports.js';
import type { ModelCall, PlanNumbers, PlanSetup } from '../../tape/tape.js';
import { promptOf } from './provider.js';

/** The only model there is. A token of the prompt costs one micro-dollar, and one of the answer ten. */
const MODEL = 'model';
const PRICE = { input: 1, output: 10, maxOutput: 4096 } as const;

const MONEY = ['perDay', 'perMonth'] as const;

/** What a caller states that has to know its cap, and cannot see what is held. */
const OWN_CAP = 200;

/** A call, as the application hands it to the limiter. */
export interface ModelJob {
  readonly user: string;
  /** The path at the provider, which says the dialect. */
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The limits of a plan in one process. */
export interface PlanLimiter {
  readonly setup: PlanSetup;
  readonly llm: Llm<[ModelJob]>;
  readonly limiter: Limiter<ModelJob, boolean>;
}

/** Makes the limiter of a plan, as the documentation says for applications without HTTP. */
export function planLimiter({ core, llm: llmPackage }: Exports, setup: PlanSetup, store: Store): PlanLimiter {
  const { name, onStoreError, limits, together, hold, unknownUsage, maxHoldMs, unseen } = setup;
  const llm = llmPackage.createLlm<[ModelJob]>({
    call: ({ body }) => body,
    plan: planOf(limits),
    ...(together && { scopes: { all: { plan: planOf(together), keyGenerator: () => 'everyone' } } }),
    prices: llmPackage.priceTable({ [MODEL]: PRICE }),
    ...(hold !== 'default' && { hold }),
    ...(unknownUsage && { unknownUsage }),
    ...(unseen !== undefined && { read: { unseen } }),
    body: { background: 'allow' },
    maxHold: maxHoldMs,
  });
  const limiter = core.createLimiter<ModelJob, boolean>({
    name,
    limits: llm.policy.limits,
    keyGenerator: ({ user }) => user,
    store,
    onStoreError,
  });
  return { setup, llm, limiter };
}

function planOf(numbers: PlanNumbers): LlmPlan {
  return numbers;
}

const PATHS = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'anthropic-messages': '/v1/messages',
} as const;

/** Returns the request of a call, with the cap that the application sends. */
export function jobOf(step: ModelCall, plan: PlanSetup): ModelJob {
  const { dialect, subject, inputTokens, isWhole, unseenTokens, fetchedAfterMs } = step;
  const prompt = promptOf(inputTokens);
  const cap = step.maxOutput ?? (isCapped(plan) && !showsHeldOutput(plan) ? OWN_CAP : undefined);
  const content =
    dialect === 'openai-responses' ? { input: prompt } : { messages: [{ role: 'user', content: prompt }] };
  const field = dialect === 'openai-responses' ? 'max_output_tokens' : 'max_tokens';
  const body = {
    model: MODEL,
    stream: !isWhole,
    ...content,
    ...(cap !== undefined && { [field]: cap }),
    ...(unseenTokens !== undefined && { previous_response_id: 'resp_0' }),
    ...(fetchedAfterMs !== undefined && { background: true }),
  };
  return { user: `s${subject}`, url: PATHS[dialect], body };
}

/** A request that only looks at what is counted. */
export function lookOf(subject: number): ModelJob {
  return {
    user: `s${subject}`,
    url: PATHS['openai-chat'],
    body: { model: MODEL, messages: [{ role: 'user', content: '?' }], max_tokens: 1 },
  };
}

/** Whether a limit holds the ceiling, so that calls are sent with a cap. */
function isCapped({ hold, limits, together }: PlanSetup): boolean {
  const hasMoney = [limits, together].some((numbers) => MONEY.some((name) => numbers?.[name] !== undefined));
  return hold === 'ceiling' || (hold === 'default' && hasMoney);
}

/** Whether verdicts say what output is held as a ceiling. */
function showsHeldOutput({ hold, limits, together }: PlanSetup): boolean {
  const shown = hold === 'ceiling' ? (['tpm', 'otpm', ...MONEY] as const) : MONEY;
  return [limits, together].some((numbers) => shown.some((name) => numbers?.[name] !== undefined));
}

/**
 * Returns the cap that the provider gets, which keeps to it. If a limit holds the ceiling, it is what is held, as a relay sends it:
 * verdicts say what that is.
 *
 * @param verdicts - what each limit was charged, by its name
 */
export function sentCap(
  plan: PlanSetup,
  inputCeiling: number,
  verdicts: Readonly<Record<string, number>>,
  stated: number | undefined,
): number {
  const most = Math.min(stated ?? PRICE.maxOutput, PRICE.maxOutput);
  if (!isCapped(plan)) return most;
  const held = heldIn(verdicts);
  const money = held('perDay') ?? held('perMonth');
  if (money !== undefined) return Math.min(most, (money - inputCeiling * PRICE.input) / PRICE.output);
  const tokens = held('tpm');
  return Math.min(most, held('otpm') ?? (tokens === undefined ? most : tokens - inputCeiling));
}

/** Returns what finds the charge of a limit, of the subject's own plan or of everybody's. */
function heldIn(verdicts: Readonly<Record<string, number>>): (name: string) => number | undefined {
  return (name) => verdicts[name] ?? verdicts[`all-${name}`];
}
