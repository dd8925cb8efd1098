import { isObject, isStated, type JsonObject } from '../json-object.js';
import type { AnswerProgress, Dialect, Say, UsageStatement } from './dialect.js';
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
  // What has no choices is read last of all: many others state a `usage`, too.
  statement: (event, progress) =>
    Array.isArray(event.choices) ? (statementOfChoices(event, progress) ?? NOTHING) : undefined,
  usage: (counts, { prompt_tokens }) =>
    isStated(prompt_tokens) ? openAiUsage(counts, 'prompt', 'completion') : undefined,
  readOutput: readChoices,
};

const NOTHING: UsageStatement = { usage: undefined, isFinal: false };

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
export function readChoices({ choices }: JsonObject, say: Say): boolean {
  if (!Array.isArray(choices)) return false;
  for (const choice of choices) if (isObject(choice)) readChoice(choice, say);
  return true;
}

function readChoice({ delta, text }: JsonObject, say: Say): void {
  if (!isObject(delta)) {
    say(text);
    return;
  }
  say(delta.content);
  say(delta.refusal);
  // Some providers send the same thoughts under both names.
  say(delta.reasoning_content ?? delta.reasoning);
  readFunction(delta.function_call, say);
  const { tool_calls } = delta;
  if (Array.isArray(tool_calls)) for (const call of tool_calls) if (isObject(call)) readFunction(call.function, say);
}

function readFunction(call: unknown, say: Say): void {
  if (!isObject(call)) return;
  say(call.name);
  say(call.arguments);
}
