import type { LlmCall } from '../call/llm-call.js';
import { dialectOf } from '../dialects/dialects.js';
import type { Format } from '../dialects/format.js';
import type { ClientError } from '../dialects/vendor.js';
import { publishWithheldError } from '../events.js';
import { cancelled } from '../meter/metered-body.js';
import { answerFields } from './answer-fields.js';
import { concernOf } from './own-account.js';

/** The most bytes of an error that are read. A longer one does not reach the client. */
const LONGEST_ERROR = 65_536;

/** Returns the answer if the provider gave none that can be passed on, in the words of its dialect. */
export function providerFailure(format: Format, error?: unknown): Response {
  const isTimeout = (Object(error) as { name?: unknown }).name === 'TimeoutError';
  if (isTimeout)
    return answerOf(format, { kind: 'timeout', status: 504, message: 'The model did not answer in time.' });
  return answerOf(format, { kind: 'unreachable', status: 502, message: 'The model cannot be reached.' });
}

/**
 * Returns the answer to a client whose call the provider has refused: the provider's own, unless it speaks of the account of the
 * gateway. The client can do nothing about that account, and must not learn whose it is. Listeners then get what the provider said.
 */
export async function errorForClient(
  answer: Response,
  { format, model }: Pick<LlmCall, 'format' | 'model'>,
): Promise<Response> {
  const { status } = answer;
  const text = await textOf(answer);
  const headers = answerFields(answer);
  const concern = text === undefined ? 'account' : concernOf(status, text);
  if (text !== undefined && concern === 'client') return textAnswer(text, status, headers);
  publishWithheldError({ model, format, status, body: text ?? '' });
  if (concern === 'account') return providerFailure(format);
  return answerOf(format, { kind: 'rate', status, message: 'The model is busy. Try again later.' }, headers);
}

function answerOf(format: Format, error: ClientError, fields = new Headers()): Response {
  fields.set('content-type', 'application/json');
  return textAnswer(JSON.stringify(dialectOf(format).vendor.errorBody(error)), error.status, fields);
}

function textAnswer(text: string, status: number, headers: Headers): Response {
  headers.set('content-length', String(Buffer.byteLength(text)));
  return new Response(text, { status, headers });
}

/** Returns the text of an error; undefined if it breaks off, or is too long for an error. */
async function textOf({ body, type }: Response): Promise<string | undefined> {
  if (type === 'error') return undefined;
  if (!body) return '';
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parts.push(next.value);
      bytes += next.value.length;
      if (bytes > LONGEST_ERROR) {
        await cancelled(reader);
        return undefined;
      }
    }
    return Buffer.concat(parts).toString('utf8');
  } catch {
    return undefined;
  }
}
