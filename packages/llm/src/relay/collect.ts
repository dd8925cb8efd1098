import { checkFunction } from '@sluice/core/http';
import { optionError } from '@sluice/core/store';
import type { BackgroundCalls } from '../meter/background-calls.js';
import { isErrorStatus } from '../meter/provider-error.js';
import { answerFields } from './answer-fields.js';
import type { Exchange, NodeExchange } from './exchange.js';
import { answerExchange } from './exchange-answer.js';
import { errorForClient, providerFailure } from './provider-failure.js';

/**
 * Fetches the answer of a call that goes on in the background.
 *
 * @param signal - aborts when the client leaves
 */
export type FetchAnswer = (signal: AbortSignal) => Promise<Response>;

/** Passes on the answer of a call that goes on in the background, and settles the call if the answer is final. */
interface Collect {
  (exchange: Request, id: string, fetchAnswer: FetchAnswer): Promise<Response>;
  (exchange: NodeExchange, id: string, fetchAnswer: FetchAnswer): Promise<void>;
}

/** The only dialect whose calls go on in the background. */
const FORMAT = 'openai-responses';

/** Returns what collects the answers of calls in the background. */
export function createCollect(background: BackgroundCalls): Collect {
  function collect(exchange: Request, id: string, fetchAnswer: FetchAnswer): Promise<Response>;
  function collect(exchange: NodeExchange, id: string, fetchAnswer: FetchAnswer): Promise<void>;
  function collect(exchange: Exchange, id: string, fetchAnswer: FetchAnswer): Promise<Response> | Promise<void> {
    return answerExchange(exchange, () => {
      checkFunction(fetchAnswer, 'fetchAnswer');
      if (typeof id !== 'string' || id === '') throw optionError('id', 'must be the id of a response', id);
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
    return providerFailure(FORMAT, error);
  }
  const { status, body } = answer;
  if (isErrorStatus(status) || answer.type === 'error') return errorForClient(answer, { model: id, format: FORMAT });
  return new Response(body, { status, headers: answerFields(answer) });
}
