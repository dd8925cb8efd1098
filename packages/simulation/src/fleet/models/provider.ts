import type { ModelCall } from '../../tape/tape.js';

/** A part of an answer, as it comes over the connection. */
export interface AnswerPart {
  readonly bytes: Uint8Array;
  /** How many letters of the answer it carries. */
  readonly letters: number;
  /** Whether the provider states the final usage in it. */
  readonly isUsage: boolean;
}

const WORD = 'word ';

/** An answer has so many parts with text at most. */
const MOST_PARTS = 4;

/** Returns a prompt of so many tokens: the provider takes each word for one. */
export function promptOf(tokens: number): string {
  return WORD.repeat(tokens);
}

/** Returns the answer to the request of a call that goes on in the background. */
export function queuedAnswer(id: string): AnswerPart {
  return partOf(JSON.stringify({ id, object: 'response', status: 'queued', output: [], usage: null }), 0, false);
}

/** Returns the answer of the provider to a call, with so many tokens: a stream, or one piece. */
export function answerOf(step: ModelCall, output: number): readonly AnswerPart[] {
  const texts = textsOf(output);
  const usage = step.ends === 'no-usage' ? undefined : usageOf(step, output);
  if (step.isWhole) {
    const text = texts.join('');
    return [partOf(JSON.stringify(wholeAnswer(step, text, usage)), text.length, usage !== undefined)];
  }
  const ending = streamEnd(step, usage);
  return [
    ...streamBegin(step).map((event) => partOf(event, 0, false)),
    ...texts.map((text) => partOf(eventOf(textEvent(step, text)), text.length, false)),
    partOf(ending.usage, 0, usage !== undefined),
    partOf(ending.last, 0, false),
  ];
}

function textsOf(output: number): readonly string[] {
  const parts = Math.min(MOST_PARTS, output);
  return Array.from({ length: parts }, (_, i) => {
    const tokens = Math.floor(((i + 1) * output) / parts) - Math.floor((i * output) / parts);
    return WORD.repeat(tokens);
  });
}

const ENCODER = new TextEncoder();

function partOf(text: string, letters: number, isUsage: boolean): AnswerPart {
  return { bytes: ENCODER.encode(text), letters, isUsage };
}

function eventOf(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** A provider's mistake: a number of tokens below 0. */
const NO_NUMBER = -1;

/** Returns the tokens of the prompt, as the provider counts them. */
export function inputOf({ inputTokens, unseenTokens = 0 }: ModelCall): number {
  return inputTokens + unseenTokens;
}

function usageOf(step: ModelCall, output: number): object {
  const { dialect, ends } = step;
  const input = inputOf(step);
  const made = ends === 'wrong-usage' ? NO_NUMBER : output;
  if (dialect === 'openai-chat') return { prompt_tokens: input, completion_tokens: made };
  return { input_tokens: input, output_tokens: made };
}

function wholeAnswer({ dialect }: ModelCall, text: string, usage: object | undefined): object {
  switch (dialect) {
    case 'openai-chat':
      return { choices: [{ message: { content: text }, finish_reason: 'stop' }], usage };
    case 'openai-responses':
      return { object: 'response', status: 'completed', output: [text], usage };
    case 'anthropic-messages':
      return { type: 'message', content: [{ type: 'text', text }], usage };
  }
}

function streamBegin({ dialect, inputTokens, ends }: ModelCall): readonly string[] {
  if (dialect !== 'anthropic-messages') return [];
  // Its first event states the prompt, and the answer so far.
  const usage = ends === 'no-usage' ? undefined : { input_tokens: inputTokens, output_tokens: 1 };
  return [eventOf({ type: 'message_start', message: { usage } })];
}

function textEvent({ dialect }: ModelCall, text: string): object {
  switch (dialect) {
    case 'openai-chat':
      return { choices: [{ delta: { content: text }, finish_reason: null }] };
    case 'openai-responses':
      return { type: 'response.output_text.delta', delta: text };
    case 'anthropic-messages':
      return { type: 'content_block_delta', delta: { type: 'text_delta', text } };
  }
}

/** Returns the part with the usage, and the one after it. */
function streamEnd(
  { dialect }: ModelCall,
  usage: object | undefined,
): { readonly usage: string; readonly last: string } {
  switch (dialect) {
    case 'openai-chat': {
      const stop = eventOf({ choices: [{ delta: {}, finish_reason: 'stop' }] });
      return { usage: usage ? `${stop}${eventOf({ choices: [], usage })}` : stop, last: eventOf('[DONE]') };
    }
    case 'openai-responses':
      return { usage: eventOf({ type: 'response.completed', response: { status: 'completed', usage } }), last: '\n' };
    case 'anthropic-messages':
      return {
        usage: eventOf({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }),
        last: eventOf({ type: 'message_stop' }),
      };
  }
}
