import { isObject, isStated, type JsonObject } from '../json-object.js';
import type { Dialect } from './dialect.js';
import type { BatchFormat, CallFormat } from './format.js';
import { messages } from './messages.js';
import { openAi } from './openai.js';
import { SHARED_PROMPT } from './prompt-fields.js';
import { modelAndEnding } from './read-path.js';

/** One call of a batch, as the batch states it. */
interface StatedCall {
  /** The member of the element that has the body of the call. */
  readonly member: string;
  /** The path of the API that answers the call. */
  readonly path: unknown;
}

/** How far a batch is. */
interface BatchState {
  /** Its id. */
  readonly id: string;
  /** Whether nothing of it changes any more. */
  readonly isOver: boolean;
  /** How many of its calls were answered; undefined if the provider does not say. */
  readonly answered: number | undefined;
  /** The file that has the answers, where they have an id of their own. */
  readonly file?: string;
}

/** What one line of the results says: the answer to a call, or that there is none. */
type BatchResult = { readonly answer: JsonObject } | 'failed';

/** All that differs between the batches of two vendors. */
export interface BatchForm {
  /** The member that names a file with the calls. Absent: the body has them in its member `requests`. */
  readonly file?: string;
  /** Returns where an element, or a line of the file, has its call. */
  statedCall(element: JsonObject, body: JsonObject): StatedCall;
  /** Returns how far a batch is; undefined if the answer is about something else. */
  state(answer: JsonObject): BatchState | undefined;
  /** Returns what a line of the results says; undefined if it is none. */
  result(line: JsonObject): BatchResult | undefined;
}

/** A body of a batch is a list of calls, and no prompt. */
const NO_PROMPT: Pick<Dialect, 'recognizes' | 'caps' | 'raisesCap' | 'choices' | 'prompt' | 'namesHistory'> &
  Pick<Dialect, 'statement' | 'usage' | 'readOutput'> = {
  recognizes: () => false,
  caps: [],
  raisesCap: [],
  choices: [],
  prompt: SHARED_PROMPT,
  namesHistory: () => false,
  statement: () => undefined,
  usage: () => undefined,
  readOutput: () => false,
};

/** States of OpenAI's batches that do not change any more. */
const OVER: readonly unknown[] = ['failed', 'completed', 'expired', 'cancelled'];

/**
 * OpenAI's batches: a file has the calls, one in each line, and another one gets the answers.
 *
 * @see https://platform.openai.com/docs/api-reference/batch
 */
export const openAiBatches: Dialect = {
  ...NO_PROMPT,
  format: 'openai-batches',
  vendor: openAi,
  address: (path) => (/\/messages\/batches$/i.test(path) ? undefined : modelAndEnding('/batches')(path)),
  fault: ({ input_file_id: file }) =>
    typeof file === 'string' && file !== ''
      ? undefined
      : { field: 'input_file_id', rule: 'must be the id of a file', received: file },
};

const openAiForm: BatchForm = {
  file: 'input_file_id',
  statedCall: ({ url }, { endpoint }) => ({ member: 'body', path: url === endpoint ? url : undefined }),
  state({ id, object, status, request_counts: counts, output_file_id: file }) {
    if (object !== 'batch' || typeof id !== 'string') return undefined;
    const isOver = OVER.includes(status);
    // A file is never begun for a batch whose form is wrong.
    const stated = status === 'failed' ? 0 : countOf(counts, 'completed');
    if (typeof file !== 'string') return { id, isOver, answered: stated };
    // Some servers never count, and leave 0 there. Where there is a file, some call was answered.
    return { id, isOver, answered: stated === 0 ? undefined : stated, file };
  },
  result({ custom_id: id, response, error }) {
    if (!isStated(id)) return undefined;
    if (!isObject(response)) return isStated(error) ? 'failed' : undefined;
    return response.status_code === 200 && isObject(response.body) ? { answer: response.body } : 'failed';
  },
};

/**
 * Anthropic's batches of messages, which have the calls in their body.
 *
 * @see https://docs.anthropic.com/en/api/creating-message-batches
 */
export const anthropicBatches: Dialect = {
  ...NO_PROMPT,
  format: 'anthropic-batches',
  vendor: messages.vendor,
  address: modelAndEnding('/messages/batches'),
  fault: ({ requests }) =>
    Array.isArray(requests) && requests.length > 0
      ? undefined
      : { field: 'requests', rule: 'must be a list with at least one request', received: requests },
};

const anthropicForm: BatchForm = {
  statedCall: () => ({ member: 'params', path: '/v1/messages' }),
  state({ id, type, processing_status: status, request_counts: counts }) {
    if (type !== 'message_batch' || typeof id !== 'string') return undefined;
    return { id, isOver: status === 'ended', answered: countOf(counts, 'succeeded') };
  },
  result({ custom_id: id, result }) {
    if (!isStated(id) || !isObject(result)) return undefined;
    return result.type === 'succeeded' && isObject(result.message) ? { answer: result.message } : 'failed';
  },
};

function countOf(counts: unknown, name: string): number | undefined {
  const count = isObject(counts) ? counts[name] : undefined;
  return Number.isSafeInteger(count) ? (count as number) : undefined;
}

const FORMS: Readonly<Record<BatchFormat, BatchForm>> = {
  'openai-batches': openAiForm,
  'anthropic-batches': anthropicForm,
};

/** Returns what is known of the batches of a dialect; undefined if it is one of single calls. */
export function batchFormOf(format: BatchFormat | CallFormat): BatchForm | undefined {
  return (FORMS as Readonly<Partial<Record<string, BatchForm>>>)[format];
}
