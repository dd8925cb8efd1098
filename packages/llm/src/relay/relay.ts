import { SluiceError } from '@sluice/core';
import type { AdmittedCall } from '../request/decided-call.js';
import type { Exchange, NodeExchange, Send } from './exchange.js';
import { answerExchange } from './exchange-answer.js';
import { type ForwardOptions, forward } from './forward.js';

export { createCollect } from './collect.js';

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
    return answerExchange(exchange, (request) => {
      const admitted = admittedWith(request, options);
      return (left) => forward(admitted, send, left, options);
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
