import { SluiceError } from '@sluice/core';
import type { LlmCall } from '../call/llm-call.js';
import type { ProviderName, ProviderProfile } from '../dialects/providers.js';
import type { CallOutcome } from '../meter/call-outcome.js';
import type { EditingMeter } from '../meter/create-meter.js';
import { endOfFailure } from '../meter/failed-call.js';
import { untilErrorIsSettled } from '../meter/provider-error.js';
import type { AdmittedCall } from '../request/decided-call.js';
import { answerEdit, clientAnswer } from './client-answer.js';
import { type OutgoingContent, outgoingBody } from './outgoing-body.js';
import { providerFailure } from './provider-failure.js';

type SendRest = [signal: AbortSignal, call: LlmCall];

/** What it takes to send a call. */
export interface ForwardOptions {
  /** Returns what differs from OpenAI at the provider of a call. */
  providerOf(call: LlmCall): ProviderName | ProviderProfile;
  /** Makes the meter of a call, which calls `onEnd` once. */
  meter(admitted: AdmittedCall, onEnd: (outcome: CallOutcome) => void): EditingMeter;
}

/** The reservations of relayed calls. Each is settled once, so a second call with it would be free. */
const relayed = new WeakSet<object>();

function checkFirst({ reservation }: AdmittedCall): void {
  if (relayed.has(reservation)) {
    throw new SluiceError(
      'SLUICE_UNSUPPORTED',
      'the request was relayed before, and its reservation is settled once: to try another provider, call both within send',
    );
  }
  relayed.add(reservation);
}

/**
 * Sends a call, and returns the answer for the client. Its body is metered as it is read.
 *
 * @param left - aborts when the client has left
 */
export async function forward(
  admitted: AdmittedCall,
  send: (content: OutgoingContent, ...rest: SendRest) => Promise<Response>,
  left: AbortSignal,
  options: ForwardOptions,
): Promise<Response> {
  checkFirst(admitted);
  const { call } = admitted;
  const gone = new AbortController();
  const meter = options.meter(admitted, ({ end }) => {
    if (end === 'abandoned') gone.abort(new DOMException('The call made no progress for too long', 'TimeoutError'));
  });
  const leave = (): void => {
    gone.abort(new Error('The client has left'));
    // Whatever is still to come is not read any more.
    void meter.end('broken');
  };
  const { content, asksForUsage } = await outgoingOf(admitted, meter, options);
  if (left.aborted) {
    // Nothing is sent, so nothing is to be paid for.
    await meter.end('unsent');
    return providerFailure(call.format);
  }
  left.addEventListener('abort', leave, { once: true });
  let answer: Response;
  try {
    const sent = await send(content, gone.signal, call);
    answer = meter.response(sent, answerEdit(sent, call, asksForUsage));
    await untilErrorIsSettled(answer, meter);
  } catch (error) {
    await meter.end(endOfFailure(error));
    return providerFailure(call.format, error);
  }
  return clientAnswer(answer, call);
}

/** Returns what is sent. The option `provider` may be a function that fails, and then nothing is sent. */
async function outgoingOf(
  admitted: AdmittedCall,
  meter: EditingMeter,
  { providerOf }: ForwardOptions,
): Promise<ReturnType<typeof outgoingBody>> {
  try {
    return outgoingBody(admitted, providerOf(admitted.call));
  } catch (error) {
    await meter.end('unsent');
    throw error;
  }
}
