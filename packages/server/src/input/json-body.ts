import type { InputMistake } from '../http/input-problem.js';
import { parseJson, readBody } from '../http/read-body.js';
import type { RouteRequest } from '../http/route.js';
import { inputProblem } from './many-mistakes.js';

/** The type of the body; parameters such as a charset may follow. Only UTF-8 is JSON (RFC 8259). */
const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i;

/**
 * Reads the JSON body of a request; undefined if there is no body.
 *
 * @throws InputProblem 415 for a body of another type, or a compressed one; otherwise as `readBody` and `parseJson`
 */
export async function jsonBody({ message }: RouteRequest, mostBytes: number): Promise<unknown> {
  const body = await readBody(message, mostBytes);
  if (body.length === 0) return undefined;
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = message.headers;
  const mistakes: InputMistake[] = [];
  if (!JSON_TYPE.test(type)) mistakes.push({ header: 'Content-Type', detail: 'must be application/json' });
  if (encoding.toLowerCase() !== 'identity') {
    mistakes.push({ header: 'Content-Encoding', detail: 'must be absent: send the body as it is' });
  }
  if (mistakes.length > 0) throw inputProblem(415, mistakes, { headers: { 'Accept-Post': 'application/json' } });
  return parseJson(body);
}
