import { setImmediate } from 'node:timers/promises';
import type { BodyChange } from '../call/body-change.js';
import { LlmCallError } from '../call/call-error.js';
import type { LlmCall } from '../call/llm-call.js';
import type { BatchFormat } from '../dialects/format.js';
import type { Counted } from '../plan/dimension.js';
import type { BatchedCall } from './batch-calls.js';
import type { PlannedCall } from './planned-call.js';

/** A call of a batch with what it holds, and what the operator's rules change in it. */
interface PlannedPart {
  readonly planned: PlannedCall;
  readonly ruled: readonly BodyChange[];
}

/** All calls of a batch together. */
interface BatchSum {
  /** The batch as a call. */
  readonly call: LlmCall;
  /** What all calls together cost at a limit. */
  costOf(counts: Counted): number;
  readonly held: PlannedCall['held'];
  /** The first call. All have the same model, and so the same limits. */
  readonly first: PlannedCall;
  /** What the operator's rules change, by the places of the calls. */
  readonly ruled: ReadonlyMap<number, readonly BodyChange[]>;
}

const SUMMED = ['requests', 'tokens', 'input', 'output', 'money'] as const;

/** So many tokens are read at once. The estimate takes a few milliseconds for them. */
const TOKENS_AT_ONCE = 262_144;

/**
 * Works out what a batch holds: the sum of what its calls hold. Nothing of a call is kept, and the process does other work between
 * them.
 *
 * @param plan - reads one call, and works out what it holds
 * @throws LlmCallError that names the first call which is wrong
 */
export async function sumOfBatch(
  calls: Iterable<BatchedCall> | AsyncIterable<BatchedCall>,
  format: BatchFormat,
  plan: (call: BatchedCall) => Promise<PlannedPart>,
): Promise<BatchSum> {
  const costs: Record<(typeof SUMMED)[number], number> = { requests: 0, tokens: 0, input: 0, output: 0, money: 0 };
  const ruled = new Map<number, readonly BodyChange[]>();
  let first: PlannedCall | undefined;
  let call: LlmCall | undefined;
  let count = 0;
  let unread = 0;
  for await (const stated of calls) {
    const part = await placed(stated.place, () => plan(stated));
    const { planned } = part;
    first ??= planned;
    call = added(call, planned.call, format, stated.place);
    for (const counts of SUMMED) costs[counts] = sum(costs[counts], planned.costOf(counts));
    if (part.ruled.length > 0) ruled.set(count, part.ruled);
    count += 1;
    unread += planned.call.inputCeiling;
    if (unread < TOKENS_AT_ONCE) continue;
    unread = 0;
    await setImmediate();
  }
  return {
    call: call as LlmCall,
    first: first as PlannedCall,
    // What a batch costs is spent when it is made, and held by no call that is about to end.
    costOf: (counts) => (counts === 'held' || counts === 'slots' ? 0 : costs[counts]),
    held: { input: costs.input, output: costs.output },
    ruled,
  };
}

/** Says in errors where the call stands. */
async function placed<T>(place: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    throw error instanceof LlmCallError ? error.within(place) : error;
  }
}

function added(before: LlmCall | undefined, call: LlmCall, format: BatchFormat, place: string): LlmCall {
  const { batch } = call;
  if (!before || !batch) return { ...call, format };
  const { model, batch: all = batch } = before;
  if (call.model !== model)
    throw new LlmCallError(`${place}.model`, `must be ${JSON.stringify(model)}, as in the calls before it`, call.model);
  const { outputCap, ...others } = before;
  return {
    ...others,
    input: sum(before.input, call.input),
    inputCeiling: sum(before.inputCeiling, call.inputCeiling),
    choices: sum(before.choices, call.choices),
    // One without a cap leaves the batch without one.
    ...(outputCap !== undefined && call.outputCap !== undefined && { outputCap: sum(outputCap, call.outputCap) }),
    ...usesOf(before, call),
    ...((before.unseen ?? call.unseen) && { unseen: true as const }),
    ...((before.media ?? call.media) && { media: true as const }),
    batch: { ...all, calls: all.calls + 1 },
  };
}

/** How often one of the calls may use each tool. */
function usesOf({ toolUses: before }: LlmCall, { toolUses: uses }: LlmCall): Pick<LlmCall, 'toolUses'> {
  if (!uses) return {};
  const most = Object.entries(uses).map(([tool, count]) => [tool, Math.max(count, before?.[tool] ?? 0)]);
  return { toolUses: { ...before, ...Object.fromEntries(most) } };
}

function sum(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}
