import { SluiceError } from '@sluice/core';
import { type CarriedError, carried, errorOf, type StoreCall } from '@sluice/core/store';

/** The version of these messages. During a deployment, a Worker may meet an object of another version. */
const VERSION = 1;

/** A call, and the time by which it is decided: that of a test, or null for that of the object. */
type CallMessage = readonly [version: number, testMs: number | null, call: StoreCall];

/** What an object answers. JSON has no undefined: null stands for it. */
type AnswerMessage = { readonly result: unknown } | { readonly error: CarriedError };

export function callMessage(call: StoreCall, testMs: number | undefined): string {
  const message: CallMessage = [VERSION, testMs ?? null, call];
  return JSON.stringify(message);
}

/** Makes the call of a message. Returns the message of its result, or of its failure. */
export async function answerTo(
  message: string,
  make: (call: StoreCall, testMs: number | undefined) => unknown,
): Promise<string> {
  let answer: AnswerMessage;
  try {
    const [version, testMs, call] = JSON.parse(message) as CallMessage;
    if (version !== VERSION)
      throw new SluiceError('SLUICE_STORE', 'the Worker and the object have different versions of Sluice');
    answer = { result: (await make(call, testMs ?? undefined)) ?? null };
  } catch (error) {
    answer = { error: carried(error, 'the object') };
  }
  return JSON.stringify(answer);
}

/**
 * Returns the result in the message of an answer.
 *
 * @throws SluiceError the failure in it; `SLUICE_STORE` if it is none of these messages
 */
export function resultOf(status: number, message: string): unknown {
  const answer = answerIn(message);
  if (!answer) throw new SluiceError('SLUICE_STORE', `the object answered ${status}: ${message.slice(0, 200)}`);
  if ('error' in answer) throw errorOf(answer.error);
  return answer.result ?? undefined;
}

/** Returns the answer in a message; undefined if something else than `answerTo` has written it, such as a class that has replaced `fetch`. */
function answerIn(message: string): AnswerMessage | undefined {
  try {
    const answer = Object(JSON.parse(message)) as Partial<Record<'result' | 'error', unknown>>;
    return 'result' in answer || isCarried(answer.error) ? (answer as AnswerMessage) : undefined;
  } catch {
    return undefined;
  }
}

function isCarried(error: unknown): error is CarriedError {
  const { code, message } = Object(error) as Partial<CarriedError>;
  return typeof code === 'string' && typeof message === 'string';
}
