import { SluiceError } from '@sluice/core';
import { type NodeResponse, onResponseEnd } from '@sluice/core/http';
import { optionError } from '@sluice/core/store';
import type { AdmittedCall } from '../request/decided-call.js';
import type { Exchange, NodeExchange, Send } from './exchange.js';
import { type ForwardOptions, forward } from './forward.js';
import { writeAnswer } from './node-answer.js';

/** What a relay needs to know about calls. */
interface RelayOptions extends ForwardOptions {
  /** Returns the call that was admitted with a request. */
  admitted(request: object): AdmittedCall | undefined;
}

/** Sends an admitted call to a provider, and the answer to the client. */
export interface Relay {
  (exchange: Request, send: Send): Promise<Response>;
  (exchange: NodeExchange, send: Send): Promise<void>;
}

/** Returns the relay of calls that were admitted. */
export function createRelay(options: RelayOptions): Relay {
  function relay(exchange: Request, send: Send): Promise<Response>;
  function relay(exchange: NodeExchange, send: Send): Promise<void>;
  function relay(exchange: Exchange, send: Send): Promise<Response> | Promise<void> {
    return 'res' in Object(exchange)
      ? relayToNode(exchange as NodeExchange, send, options)
      : relayToFetch(exchange as Request, send, options);
  }
  return relay;
}

async function relayToNode({ req, res }: NodeExchange, send: Send, options: RelayOptions): Promise<void> {
  checkObjects([req, res]);
  const admitted = admittedWith(req, options);
  const left = new AbortController();
  const stop = onResponseEnd(res as NodeResponse, () => left.abort());
  await writeAnswer(res, await forward(admitted, send, left.signal, options), left.signal);
  stop();
}

async function relayToFetch(request: Request, send: Send, options: RelayOptions): Promise<Response> {
  checkObjects([request, request?.signal]);
  return forward(admittedWith(request, options), send, request.signal, options);
}

function checkObjects(parts: readonly unknown[]): void {
  if (parts.every((part) => typeof part === 'object' && part !== null)) return;
  const [first] = parts;
  throw optionError('exchange', 'must be a Request, or { req, res } of Node, Express, Fastify or Nest', first);
}

function admittedWith(request: object, { admitted }: RelayOptions): AdmittedCall {
  const call = admitted(request);
  if (call) return call;
  throw new SluiceError(
    'SLUICE_UNSUPPORTED',
    'the request has passed no policy with these limits, so there is nothing to settle: put rateLimit({ ...llm.policy }) before the handler, and relay no request that a policy skips',
  );
}
