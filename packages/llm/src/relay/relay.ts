import { SluiceError } from '@sluice/core';
import { checkFunction } from '@sluice/core/values';
import type { AdmittedCall } from '../request/decided-call.js';
import type { Exchange, NodeExchange, Send, SendForm } from './exchange.js';
import { answerExchange } from './exchange-answer.js';
import { type ForwardOptions, forward } from './forward.js';

export { createCollect } from './collect.js';

/** What a relay needs to know about calls. */
export interface RelayOptions extends ForwardOptions {
  /** Returns the call that was admitted with a request. */
  admitted(request: object): AdmittedCall | undefined;
}

/** Sends an admitted call to a provider, and the answer to the client. */
export interface Relay<S> {
  (exchange: Request, send: S): Promise<Response>;
  (exchange: NodeExchange, send: S): Promise<void>;
}

/** Returns the relay of calls that were admitted. */
export function createRelay(options: RelayOptions): Relay<Send> {
  return relayOf<Send>(options, (admitted, send) => {
    checkFunction(send, 'send');
    if (admitted.bytes)
      throw new SluiceError('SLUICE_UNSUPPORTED', 'the body is a form, and no JSON: use llm.relayForm for this route');
    return (content, ...rest) => send(content as string, ...rest);
  });
}

/** The same for bodies that may be forms. */
export function createRelayForm(options: RelayOptions): Relay<SendForm> {
  return relayOf<SendForm>(options, (_, send) => {
    checkFunction(send, 'send');
    return (content, ...rest) =>
      send(typeof content === 'string' ? new TextEncoder().encode(content) : content, ...rest);
  });
}

type SendContent = Parameters<typeof forward>[1];

function relayOf<S>(options: RelayOptions, sending: (admitted: AdmittedCall, send: S) => SendContent): Relay<S> {
  function relay(exchange: Request, send: S): Promise<Response>;
  function relay(exchange: NodeExchange, send: S): Promise<void>;
  function relay(exchange: Exchange, send: S): Promise<Response> | Promise<void> {
    return answerExchange(exchange, (request) => {
      const admitted = admittedWith(request, options);
      const sent = sending(admitted, send);
      return (left) => forward(admitted, sent, left, options);
    });
  }
  return relay;
}

function admittedWith(request: object, { admitted }: RelayOptions): AdmittedCall {
  const call = admitted(request);
  if (call) return call;
  throw new SluiceError(
    'SLUICE_UNSUPPORTED',
    'the request has passed no policy with these limits, so there is nothing to settle: put rateLimit({ ...llm.policy }) before the handler, and relay no request that a policy skips',
  );
}
