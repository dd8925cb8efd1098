import { SluiceError } from '@sluice/core';
import { checkFunction, type NodeResponse, onResponseEnd } from '@sluice/core/http';
import { optionError } from '@sluice/core/store';
import type { CallOutcome } from '../meter/call-outcome.js';
import { endOfFailure } from '../meter/failed-call.js';
import type { Meter } from '../meter/meter.js';
import { cancelled } from '../meter/metered-body.js';
import { untilErrorIsSettled } from '../meter/provider-error.js';
import type { AdmittedCall } from '../request/decided-call.js';
import { answerFields } from './answer-fields.js';
import type { Exchange, NodeExchange, Send } from './exchange.js';
import { writeAnswer } from './node-answer.js';
import { outgoingBody } from './outgoing-body.js';
import { isAboutTheAccount, providerFailure } from './provider-failure.js';
import { withoutUsageChunk } from './usage-filter.js';

/** What a relay needs to know about calls. */
interface RelayOptions {
  /** Returns the call that was admitted with a request. */
  admitted(request: object): AdmittedCall | undefined;
  /** Makes the meter of a call, which calls `onEnd` once. */
  meter(admitted: AdmittedCall, onEnd: (outcome: CallOutcome) => void): Meter;
}

/** The reservations of relayed calls. Each is settled once, so a second call with it would be free. */
const relayed = new WeakSet<object>();

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

function checkFirst({ reservation }: AdmittedCall): void {
  if (relayed.has(reservation)) {
    throw new SluiceError(
      'SLUICE_UNSUPPORTED',
      'the request was relayed before, and its reservation is settled once: to try another provider, call both within send',
    );
  }
  relayed.add(reservation);
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

/**
 * Sends a call, and returns the answer for the client. Its body is metered as it is read.
 *
 * @param left - aborts when the client has left
 */
async function forward(
  admitted: AdmittedCall,
  send: Send,
  left: AbortSignal,
  options: RelayOptions,
): Promise<Response> {
  checkFunction(send, 'send');
  checkFirst(admitted);
  const { call } = admitted;
  const { text, asksForUsage } = outgoingBody(admitted);
  const gone = new AbortController();
  const meter = options.meter(admitted, ({ end }) => {
    if (end === 'abandoned') gone.abort(new DOMException('The call made no progress for too long', 'TimeoutError'));
  });
  const leave = (): void => {
    gone.abort(new Error('The client has left'));
    // Whatever is still to come is not read any more.
    void meter.end('broken');
  };
  if (left.aborted) {
    // Nothing is sent, so nothing is to be paid for.
    await meter.end('unsent');
    return providerFailure(call.format);
  }
  left.addEventListener('abort', leave, { once: true });
  let answer: Response;
  try {
    answer = meter.response(await send(text, gone.signal, call));
    await untilErrorIsSettled(answer, meter);
  } catch (error) {
    await meter.end(endOfFailure(error));
    return providerFailure(call.format, error);
  }
  if (isAboutTheAccount(answer) || answer.type === 'error') {
    if (answer.body) await cancelled(answer.body);
    return providerFailure(call.format);
  }
  const { status, body } = answer;
  const isFiltered = asksForUsage && answer.ok && body;
  return new Response(isFiltered ? withoutUsageChunk(body) : body, { status, headers: answerFields(answer) });
}
