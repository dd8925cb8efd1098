import { SluiceError } from '@sluice/core';
import { checkFunction } from '@sluice/core/values';
import type { BackgroundCalls } from '../meter/background-calls.js';
import type { AdmittedCall } from '../request/decided-call.js';
import { createCollect } from './collect.js';
import type { Exchange, NodeExchange, Send, SendForm } from './exchange.js';
import { answerExchange } from './exchange-answer.js';
import { type ForwardOptions, forward } from './forward.js';

/** What a relay needs to know about calls. */
interface RelayOptions extends ForwardOptions {
  /** Returns the call that was admitted with a request. */
  admitted(request: object): AdmittedCall | undefined;
}

/** Sends an admitted call to a provider, and the answer to the client. */
interface Relay<S> {
  (exchange: Request, send: S): Promise<Response>;
  (exchange: NodeExchange, send: S): Promise<void>;
}

/** What sends the calls that were admitted, and what collects the answers of those that go on in the background. */
interface Relays {
  readonly relay: Relay<Send>;
  /** The same for bodies that may be forms. */
  readonly relayForm: Relay<SendForm>;
  readonly collect: ReturnType<typeof createCollect>;
}

/** Returns the relays of a gateway. */
export function relaysOf(options: RelayOptions, background: BackgroundCalls): Relays {
  return {
    relay: relayOf<Send>(options, (admitted, send) => {
      checkFunction(send, 'send');
      if (admitted.bytes)
        throw new SluiceError(
          'SLUICE_UNSUPPORTED',
          'the body is a form, and no JSON: use llm.relayForm for this route',
        );
      return (content, ...rest) => send(content as string, ...rest);
    }),
    relayForm: relayOf<SendForm>(options, (_, send) => {
      checkFunction(send, 'send');
      return (content, ...rest) =>
        send(typeof content === 'string' ? new TextEncoder().encode(content) : content, ...rest);
    }),
    collect: createCollect(background),
  };
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
