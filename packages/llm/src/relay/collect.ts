import { checkFunction, optionError } from '@sluice/core/values';
import type { Format } from '../dialects/format.js';
import type { BackgroundCalls } from '../meter/background-calls.js';
import { elementEnds, lineEnds } from '../meter/piece-ends.js';
import { clientAnswer, withholdingOf } from './client-answer.js';
import { editedJson } from './edited-json.js';
import type { Exchange, NodeExchange } from './exchange.js';
import { answerExchange } from './exchange-answer.js';
import { piecesWithoutAccount, textWithoutAccount } from './own-account.js';
import { editedBody, PieceFilter } from './piece-filter.js';
import { providerFailure } from './provider-failure.js';

/**
 * Fetches an answer about a call that goes on in the background, or about a batch.
 *
 * @param signal - aborts when the client leaves
 */
export type FetchAnswer = (signal: AbortSignal) => Promise<Response>;

/** Passes on the answer of a call that goes on in the background, or of a batch, and settles it if the answer is final. */
interface Collect {
  (exchange: Request, id: string, fetchAnswer: FetchAnswer): Promise<Response>;
  (exchange: NodeExchange, id: string, fetchAnswer: FetchAnswer): Promise<void>;
}

/** Ids of Anthropic's batches say so. All others are OpenAI's. */
function formatOf(id: string): Format {
  return id.startsWith('msgbatch_') ? 'anthropic-batches' : 'openai-responses';
}

/** Returns what collects the answers of calls in the background. */
export function createCollect(background: BackgroundCalls): Collect {
  function collect(exchange: Request, id: string, fetchAnswer: FetchAnswer): Promise<Response>;
  function collect(exchange: NodeExchange, id: string, fetchAnswer: FetchAnswer): Promise<void>;
  function collect(exchange: Exchange, id: string, fetchAnswer: FetchAnswer): Promise<Response> | Promise<void> {
    return answerExchange(exchange, () => {
      checkFunction(fetchAnswer, 'fetchAnswer');
      if (typeof id !== 'string' || id === '')
        throw optionError('id', 'must be the id of a response, a batch or a file', id);
      return (left) => collected(background, id, fetchAnswer, left);
    });
  }
  return collect;
}

async function collected(
  background: BackgroundCalls,
  id: string,
  fetchAnswer: FetchAnswer,
  left: AbortSignal,
): Promise<Response> {
  let answer: Response;
  try {
    answer = background.collect(id, await fetchAnswer(left));
  } catch (error) {
    return providerFailure(formatOf(id), error);
  }
  const call = { model: id, format: formatOf(id) };
  const passed = await clientAnswer(answer, call);
  const { body, status, headers } = passed;
  if (!body || !passed.ok) return passed;
  const withholding = withholdingOf(call, status);
  if (!headers.get('content-type')?.startsWith('application/json')) {
    // Events end with empty lines, and each result of a batch is a line.
    const lines = new PieceFilter(lineEnds(), piecesWithoutAccount(withholding));
    return new Response(editedBody(body, lines), { status, headers });
  }
  const changed = (text: string): string =>
    (textWithoutAccount(text, withholding.onWithheld) ?? text).replace(RESULTS, '$1');
  try {
    const edited = await editedJson(body, changed);
    const passedOn =
      typeof edited === 'string'
        ? edited
        : editedBody(edited, new PieceFilter(elementEnds(), piecesWithoutAccount(withholding)));
    return new Response(passedOn, { status, headers });
  } catch (error) {
    return providerFailure(call.format, error);
  }
}

/**
 * Anthropic names the address of the results at its own host, where a client has no key. Clients take a path as one of the server that
 * they ask: this gateway.
 */
const RESULTS = /("results_url"\s*:\s*")https?:\/\/[^/"]+/;
