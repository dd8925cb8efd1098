import type { FullAnswer } from '../fake-answer.js';
import { DONE, each, finishOf, OVERLOAD, usageOf, wantsUsage } from './chat.js';
import { type Dialect, eventText } from './dialect.js';

/** OpenAI's completions: a text is continued. */
export const completions: Dialect = {
  format: 'openai-completions',
  path: '/v1/completions',
  vendor: 'openai',

  json(answer) {
    const choices = choicesOf(answer, answer.chunks.join(''), finishOf(answer));
    return { ...head(answer), choices, ...(answer.usage && { usage: usageOf(answer) }) };
  },

  events(answer, { body }) {
    const statesUsage = answer.usage && wantsUsage(body);
    const event = (choices: readonly unknown[], usage: unknown = null): string =>
      eventText({ ...head(answer), choices, ...(statesUsage && { usage }) });
    return {
      opening: '',
      pieces: answer.chunks.map((text) => event(choicesOf(answer, text, null))),
      ending: `${event(choicesOf(answer, '', finishOf(answer)))}${statesUsage ? event([], usageOf(answer)) : ''}${DONE}`,
      overload: OVERLOAD,
    };
  },
};

function choicesOf(answer: FullAnswer, text: string, finish_reason: string | null): unknown[] {
  return each(answer, (index) => ({ index, text, logprobs: null, finish_reason }));
}

function head({ number, createdS, model }: FullAnswer): object {
  return { id: `cmpl-${number}`, object: 'text_completion', created: createdS, model };
}
