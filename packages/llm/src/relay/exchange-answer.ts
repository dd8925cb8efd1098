import { type NodeResponse, onResponseEnd } from '@sluice/core/http';
import { optionError } from '@sluice/core/values';
import type { Exchange, NodeExchange } from './exchange.js';
import { writeAnswer } from './node-answer.js';

/** Checks a request, and returns what answers it. `left` aborts when the client has left. */
type Answering = (request: object) => (left: AbortSignal) => Promise<Response>;

/** Answers the client of an exchange: by the response that it returns for fetch, and by writing it for Node. */
export function answerExchange(exchange: Exchange, answer: Answering): Promise<Response> | Promise<void> {
  return 'res' in Object(exchange)
    ? answerToNode(exchange as NodeExchange, answer)
    : answerToFetch(exchange as Request, answer);
}

async function answerToNode({ req, res }: NodeExchange, answer: Answering): Promise<void> {
  checkObjects([req, res]);
  const answerOf = answer(req);
  const left = new AbortController();
  const stop = onResponseEnd(res as NodeResponse, () => left.abort());
  try {
    await writeAnswer(res, await answerOf(left.signal), left.signal);
  } finally {
    stop();
  }
}

async function answerToFetch(request: Request, answer: Answering): Promise<Response> {
  checkObjects([request, request?.signal]);
  return answer(request)(request.signal);
}

function checkObjects(parts: readonly unknown[]): void {
  if (parts.every((part) => typeof part === 'object' && part !== null)) return;
  const [first] = parts;
  throw optionError('exchange', 'must be a Request, or { req, res } of Node, Express, Fastify or Nest', first);
}
