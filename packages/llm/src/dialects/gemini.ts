import { isObject, isStated, type JsonObject } from '../json-object.js';
import type { Usage } from '../usage/usage.js';
import type { Counts } from './counts.js';
import type { Address, AnswerProgress, Dialect, Say, UsageStatement } from './dialect.js';
import { google } from './google.js';
import type { MemberPath } from './member-path.js';
import type { PromptFields } from './prompt-fields.js';
import { nameInPath } from './read-path.js';

/**
 * Gemini's own dialect, of Google AI Studio and of Vertex AI. The address names the model and says whether the answer is a stream.
 *
 * @see https://ai.google.dev/api/generate-content
 */
export const gemini: Dialect = {
  format: 'gemini-generate',
  vendor: google,
  isModelInAddress: true,

  address: addressOf('generateContent', 'streamGenerateContent'),
  recognizes: ({ contents }) => isStated(contents),
  fault: ({ contents }) =>
    Array.isArray(contents) ? undefined : { field: 'contents', rule: 'must be an array', received: contents },

  caps: inBothSpellings(['generationConfig', 'maxOutputTokens']),
  raisesCap: [],
  // Those that make images do so by default.
  mediaUnasked: true,
  choices: inBothSpellings(['generationConfig', 'candidateCount']),

  prompt: promptOf('contents', 'systemInstruction', 'system_instruction', 'tools'),
  namesHistory: ({ cachedContent, cached_content }) => isStated(cachedContent) || isStated(cached_content),

  statement: statementOf,
  usage: (counts, { promptTokenCount, totalTokenCount }) =>
    isStated(promptTokenCount) || isStated(totalTokenCount) ? usageOf(counts) : undefined,

  readOutput({ candidates }, say) {
    if (!Array.isArray(candidates)) return false;
    for (const candidate of candidates) if (isObject(candidate)) readCandidate(candidate, say);
    return true;
  },
};

/**
 * Gemini's embeddings. They have no output.
 *
 * @see https://ai.google.dev/api/embeddings
 */
export const geminiEmbeddings: Dialect = {
  format: 'gemini-embed',
  vendor: google,
  isModelInAddress: true,

  address: addressOf('embedContent', 'batchEmbedContents'),
  recognizes: () => false,
  fault: ({ content, requests }) =>
    isObject(content) || Array.isArray(requests)
      ? undefined
      : { field: 'content', rule: 'must be an object with parts', received: content },

  caps: [],
  raisesCap: [],
  choices: [],

  prompt: promptOf('content', 'requests'),
  namesHistory: () => false,

  statement: ({ usageMetadata }) => (isObject(usageMetadata) ? { usage: usageMetadata, isFinal: true } : undefined),
  usage: gemini.usage,
  readOutput: () => false,
};

/** Paths end in the model and what it does: `/v1beta/models/gemini-3-pro:generateContent`. */
function addressOf(whole: string, other: string): (path: string) => Address | undefined {
  const pattern = new RegExp(`/(?:models|tunedModels|endpoints)/([^/]+?)(?::|%3A)(?:(${whole})|${other})$`, 'i');
  const streams = other.startsWith('stream');
  return (path) => {
    const [, model, isWhole] = pattern.exec(path) ?? [];
    return model === undefined ? undefined : { model: nameInPath(model), stream: streams && isWhole === undefined };
  };
}

/** Google's servers read the names of the protocol, too: `generation_config.max_output_tokens`. */
function inBothSpellings([parent, member]: readonly [string, string]): readonly MemberPath[] {
  return [parent, snake(parent)].flatMap((outer) => [member, snake(member)].map((inner): MemberPath => [outer, inner]));
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function bothSpellings(...names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, snake(name)]));
}

function promptOf(...parts: readonly string[]): PromptFields {
  return {
    settings: bothSpellings('model', 'safetySettings', 'toolConfig', 'cachedContent', 'labels', 'serviceTier', 'store'),
    parts: new Set(parts),
    structure: bothSpellings(
      ...['role', 'parts', 'text', 'name', 'id', 'content', 'inlineData', 'fileData', 'mimeType', 'data', 'fileUri'],
      ...['functionCall', 'functionResponse', 'functionDeclarations', 'args', 'response', 'parameters', 'thought'],
      ...['parametersJsonSchema', 'thoughtSignature', 'videoMetadata', 'executableCode', 'codeExecutionResult'],
    ),
    labels: bothSpellings('role', 'id', 'mimeType'),
    providersOwn: bothSpellings('thoughtSignature'),
    encrypted: new Set(),
    data: bothSpellings('args', 'response', 'parameters', 'parametersJsonSchema'),
    tokenLists: new Set(),
  };
}

/**
 * Each event of a stream has the usage so far. The one in which a candidate ends has the last word, and so has an answer whose
 * candidates are not read.
 */
function statementOf(event: JsonObject, progress: AnswerProgress): UsageStatement | undefined {
  const { candidates, usageMetadata: usage, promptFeedback } = event;
  const isOpen = Array.isArray(candidates) && candidates.length > 0;
  if (isOpen) progress.hasFinished ||= candidates.some(hasEnded);
  if (!isObject(usage)) return undefined;
  const isOver = isObject(promptFeedback) || isStated(usage.candidatesTokenCount) || isStated(usage.thoughtsTokenCount);
  return { usage, isFinal: progress.hasFinished || (!isOpen && isOver) };
}

function hasEnded(candidate: unknown): boolean {
  return isObject(candidate) && typeof candidate.finishReason === 'string';
}

/**
 * Cached tokens are part of the prompt. The results of tools of the provider, and thoughts, are counted beside the prompt and the
 * candidates.
 *
 * @see https://ai.google.dev/api/generate-content#UsageMetadata
 */
function usageOf(counts: Counts): Usage {
  const prompt = counts.of('promptTokenCount');
  const cacheRead = counts.of('cachedContentTokenCount');
  const ofTools = counts.of('toolUsePromptTokenCount');
  const reasoning = counts.of('thoughtsTokenCount');
  const output = counts.of('candidatesTokenCount') + reasoning;
  const total = counts.of('totalTokenCount');
  counts.within(total, prompt + ofTools + output, 'totalTokenCount', total);
  return {
    input: counts.difference(prompt, cacheRead, 'promptTokenCount') + ofTools,
    cacheRead,
    cacheWrite: 0,
    output,
    reasoning,
    complete: true,
  };
}

function readCandidate({ content }: JsonObject, say: Say): void {
  if (!isObject(content) || !Array.isArray(content.parts)) return;
  for (const part of content.parts) {
    if (!isObject(part)) continue;
    say(part.text);
    if (isObject(part.functionCall)) say(JSON.stringify(part.functionCall));
  }
}
