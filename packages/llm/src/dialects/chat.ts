import { isObject, isStated, type JsonObject } from '../json-object.js';
import type { AnswerProgress, Dialect, UsageStatement } from './dialect.js';
import { ALL_CAPS, CHOICES, namesHistory, openAi, openAiUsage } from './openai.js';
import { SHARED_PROMPT } from './prompt-fields.js';
import { modelAndEnding } from './read-path.js';

/**
 * OpenAI's chat completions, which many other providers speak, too.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export const chat: Dialect = {
  format: 'openai-chat',
  vendor: openAi,

  address: modelAndEnding('/chat/completions'),
  recognizes: ({ messages }) => isStated(messages),
  fault: faultOfMessages,

  caps: [['max_completion_tokens'], ['max_tokens']],
  raisesCap: ALL_CAPS,
  choices: CHOICES,

  prompt: SHARED_PROMPT,
  namesHistory,

  usageSwitch: ['stream_options', 'include_usage'],
  statement: statementOfChoices,
  usage: (counts, { prompt_tokens }) =>
    isStated(prompt_tokens) ? openAiUsage(counts, 'prompt', 'completion') : undefined,
  outputTexts: textsOfChoices,
};

/** The list of messages, without which there is no call. */
export function faultOfMessages({ messages }: JsonObject): ReturnType<Dialect['fault']> {
  if (Array.isArray(messages)) return undefined;
  return { field: 'messages', rule: 'must be an array', received: messages };
}

/** Reads an answer or an event with `choices`: only the one after the last choice has the whole usage. */
export function statementOfChoices(event: JsonObject, progress: AnswerProgress): UsageStatement | undefined {
  const { choices, x_groq } = event;
  const isOpen = Array.isArray(choices) && choices.length > 0;
  if (isOpen) progress.hasFinished ||= choices.some(hasEnded);
  const usage = event.usage ?? (isObject(x_groq) ? x_groq.usage : undefined);
  return isObject(usage) ? { usage, isFinal: !isOpen || progress.hasFinished } : undefined;
}

/** Whether a choice is whole: it says why it ended, or has a message instead of a piece. */
function hasEnded(choice: unknown): boolean {
  return isObject(choice) && (typeof choice.finish_reason === 'string' || isObject(choice.message));
}

/** Chats have pieces of messages, and completions pieces of text. */
export function textsOfChoices({ choices }: JsonObject): readonly string[] | undefined {
  if (!Array.isArray(choices)) return undefined;
  return choices.filter(isObject).flatMap(textsOfChoice);
}

function textsOfChoice({ delta, text }: JsonObject): readonly string[] {
  if (!isObject(delta)) return texts(text);
  const { content, refusal, reasoning_content, reasoning, tool_calls } = delta;
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isObject) : [];
  return [
    // Some providers send the same thoughts under both names.
    ...texts(content, refusal, reasoning_content ?? reasoning),
    ...textsOfFunction(delta.function_call),
    ...calls.flatMap((call) => textsOfFunction(call.function)),
  ];
}

function textsOfFunction(call: unknown): readonly string[] {
  return isObject(call) ? texts(call.name, call.arguments) : [];
}

function texts(...values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === 'string');
}
