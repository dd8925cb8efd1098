import { SluiceError } from '@sluice/core';
import { type BodyChange, changedBody } from '../call/body-change.js';
import { type CheckedRules, ruledChanges } from '../call/body-rules.js';
import { LlmCallError } from '../call/call-error.js';
import type { LlmCall } from '../call/llm-call.js';
import { type ReadCallOptions, readCall } from '../call/read-call.js';
import { type BatchForm, batchFormOf } from '../dialects/batches.js';
import { dialectOf } from '../dialects/dialects.js';
import type { BatchFormat, CallFormat } from '../dialects/format.js';
import { isObject, type JsonObject } from '../json-object.js';
import { withElementsInText, withMemberInText } from '../json-text.js';
import { type BatchedCall, callsInBody, callsInFile } from './batch-calls.js';
import { givenBody } from './given-body.js';
import { sumOfBatch } from './planned-batch.js';
import type { PlannedCall } from './planned-call.js';

/** What it takes to read a batch. */
interface BatchRules {
  readonly rules: CheckedRules;
  readonly read: ReadCallOptions | undefined;
  /** Fetches the file that has the calls; undefined if the application has not said how. */
  readonly fileOf: ((id: string) => Response | PromiseLike<Response>) | undefined;
  /** Works out what a call holds. */
  plan(body: unknown, call: LlmCall): Promise<PlannedCall>;
}

/** Whether a dialect is one of batches. */
export function isBatch(format: BatchFormat | CallFormat | undefined): format is BatchFormat {
  return format !== undefined && batchFormOf(format) !== undefined;
}

/**
 * Reads a batch, and works out what it holds: the sum of its calls.
 *
 * @param given - what the application returns as the body
 * @throws LlmCallError that names what is wrong in the body, or in the file with the calls
 */
export async function plannedBatch(given: unknown, format: BatchFormat, options: BatchRules): Promise<PlannedCall> {
  const form = batchFormOf(format) as BatchForm;
  const { body, text } = givenBody(given, { format });
  const fault = isObject(body)
    ? dialectOf(format).fault(body)
    : { field: 'body', rule: 'must be an object', received: body };
  if (fault) throw new LlmCallError(fault.field, fault.rule, fault.received);
  const stated = body as JsonObject;
  const calls =
    form.file === undefined ? callsInBody(form, stated) : await callsOfFile(form, form.file, stated, options);
  const sum = await sumOfBatch(calls, format, async (one) => planOf(one, form, options));
  const { ruled, call, held, costOf } = sum;
  // Calls of a batch are sent as they are.
  const { sentCap: _, ...shared } = sum.first;
  return { ...shared, ...changedBatch(form, stated, text, ruled), call, held, ruled: [], costOf };
}

async function planOf({ body: asked, format }: BatchedCall, form: BatchForm, options: BatchRules) {
  const ruled = ruledChanges(options.rules, asked);
  const [change] = ruled;
  if (change && form.file !== undefined)
    throw new LlmCallError(change.path.join('.'), `must be ${JSON.stringify(change.value)} in a file`, undefined);
  const body = ruled.length === 0 ? asked : changedBody(asked as JsonObject, ruled);
  const call = readCall(body, { ...options.read, format, stream: false });
  const { tier } = call;
  if (tier !== undefined && !UNTIERED.includes(tier))
    throw new LlmCallError('service_tier', 'must not be stated in a batch', tier);
  const { tier: _, ...untiered } = call;
  return { planned: await options.plan(body, { ...untiered, batch: { calls: 1, format } }), ruled };
}

/** Tiers that leave it to the provider, which serves batches in its own way. */
const UNTIERED: readonly string[] = ['auto', 'default', 'standard', 'standard_only'];

async function callsOfFile(
  form: BatchForm,
  member: string,
  body: JsonObject,
  { fileOf }: BatchRules,
): Promise<AsyncIterable<BatchedCall>> {
  const id = body[member] as string;
  if (!fileOf) throw new LlmCallError(member, 'names a file that is not read here, so batches are not offered', id);
  const { status, ok, body: content } = await fileOf(id);
  if (ok && content) return callsInFile(form, body, member, content);
  void content?.cancel().catch(() => {});
  if (ok || (status >= 400 && status < 500 && status !== 429))
    throw new LlmCallError(member, 'must name a file that can be read', id);
  throw new SluiceError('SLUICE_UNAVAILABLE', `the file of a batch cannot be read at the moment: ${status}`);
}

/** Returns the body of a batch, and its text, as the operator's rules make its calls. */
function changedBatch(
  form: BatchForm,
  body: JsonObject,
  text: string | undefined,
  ruled: ReadonlyMap<number, readonly BodyChange[]>,
): Pick<PlannedCall, 'body' | 'text'> {
  if (ruled.size === 0) return { body, ...(text !== undefined && { text }) };
  const requests = (body.requests as readonly JsonObject[]).map((element, i) => {
    const changes = ruled.get(i);
    if (!changes) return element;
    const { member } = form.statedCall(element, body);
    return { ...element, [member]: changedBody(element[member] as JsonObject, changes) };
  });
  const changed = { ...body, requests };
  if (text === undefined) return { body: changed };
  const change = (element: string, i: number): string =>
    (ruled.get(i) ?? []).reduce(
      (all, { path, value }) => withMemberInText(all, [form.statedCall({}, body).member, ...path], value),
      element,
    );
  return { body: changed, text: withElementsInText(text, 'requests', change) };
}
