import { Buffer } from 'node:buffer';
import { LlmCallError } from './call-error.js';
import { type Body, isObject, isStated } from './format.js';
import { CARRIERS, mediaTokensOf, PAYLOADS, UNSEEN } from './tokens/media.js';

/** How long a prompt is, in tokens. */
export interface PromptSize {
  /** Text, tools and media, estimated or counted. */
  readonly tokens: number;
  /** The most that they can be: bytes of text, and what media can take. */
  readonly ceiling: number;
}

/** Fields of a body that no provider puts into the prompt. All others count: what is new, or another server's own, may be read. */
const SETTINGS: ReadonlySet<string> = new Set([
  'model',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'metadata',
  'service_tier',
  'stop',
  'stop_sequences',
  'logit_bias',
  'reasoning',
  'reasoning_effort',
  'thinking',
  'encoding_format',
  'truncation',
  'modalities',
  'include',
  'stream_options',
  'verbosity',
  'tool_choice',
  'previous_response_id',
  'conversation',
  'anthropic_version',
]);

/** Words of the dialects themselves. Their tokens are part of what each message and each tool adds. */
const STRUCTURE: ReadonlySet<string> = new Set([
  'role',
  'type',
  'content',
  'text',
  'name',
  'id',
  'tool_calls',
  'tool_call_id',
  'tool_use_id',
  'call_id',
  'function',
  'arguments',
  'parameters',
  'input_schema',
  'input',
  'output',
  'source',
  'media_type',
  'detail',
  'status',
  'phase',
  'format',
  'summary',
]);

/** Fields whose short values are names of the dialects, or ids that providers do not show to the model. */
const LABELS: ReadonlySet<string> = new Set([
  'role',
  'type',
  'id',
  'tool_call_id',
  'tool_use_id',
  'call_id',
  'media_type',
  'detail',
  'status',
]);
const LONGEST_LABEL = 64;

/** Fields inside messages that are for the provider alone: marks of its cache, and the proof that thoughts are its own. */
const PROVIDERS_OWN: ReadonlySet<string> = new Set(['cache_control', 'signature']);

/** Thoughts that only the provider can read are base64: about four characters for a token of text. */
const ENCRYPTED: ReadonlySet<string> = new Set(['encrypted_content']);
const CHARACTERS_PER_ENCRYPTED_TOKEN = 4;

/** What a message adds for its role and its ends, and the answer for its beginning; and the most that it can add. */
const MESSAGE = { tokens: 3, ceiling: 16 } as const;
/** What a field of data adds beside its name and its value: quotes, a colon and a comma. */
const DATA_FIELD = { tokens: 2, ceiling: 6 } as const;

/** Fields that may have lists of tokens in place of text. */
const TOKEN_LISTS: ReadonlySet<string> = new Set(['input', 'prompt']);
/** Tools come with instructions that the provider writes: Anthropic states up to about 700 tokens. */
const TOOLS = { tokens: 100, ceiling: 1000 } as const;

/** More values than any real call has: a list of 2,048 texts as tokens has less. */
export const MOST_VALUES = 1_000_000;

/**
 * Measures the prompt of a call, whatever its dialect. Each value is visited once, and nothing is called again for what lies
 * deeper, so deep and large bodies are safe.
 *
 * @param count - returns the tokens of a text
 */
export function promptSizeOf(body: Body, count: (text: string) => number): PromptSize {
  const walk = new PromptWalk(count);
  walk.add(MESSAGE.tokens, MESSAGE.ceiling);
  for (const field of Object.keys(body)) {
    if (!SETTINGS.has(field)) walk.visitAll(body[field], field);
  }
  if (Array.isArray(body.tools) && body.tools.length > 0) walk.add(TOOLS.tokens, TOOLS.ceiling);
  const namesHistory =
    isStated(body.previous_response_id) || isStated(body.conversation) || isStoredPrompt(body.prompt);
  if (namesHistory) walk.add(0, UNSEEN.most);
  return walk;
}

function isStoredPrompt(prompt: unknown): boolean {
  return isObject(prompt) && !Array.isArray(prompt);
}

/** One value that waits to be visited. */
interface Pending {
  readonly value: unknown;
  readonly field: string;
  /** Whether it is inside of an image, a file or a sound. */
  readonly isMedia: boolean;
}

class PromptWalk implements PromptSize {
  tokens = 0;
  ceiling = 0;
  readonly #count: (text: string) => number;
  readonly #pending: Pending[] = [];
  #values = 0;

  constructor(count: (text: string) => number) {
    this.#count = count;
  }

  add(tokens: number, ceiling: number): void {
    this.tokens += tokens;
    this.ceiling += ceiling;
  }

  /** Visits a value of the body, and all values in it. */
  visitAll(value: unknown, field: string): void {
    // Settings such as a temperature are numbers. Text, lists and objects may belong to the prompt.
    if (typeof value !== 'string' && !isObject(value)) return;
    this.#visit({ value, field, isMedia: false });
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) this.#visit(next);
  }

  #visit({ value, field, isMedia }: Pending): void {
    if (typeof value === 'string') this.#visitText(value, field, isMedia);
    else if (Array.isArray(value)) this.#visitList(value, field, isMedia);
    else if (ArrayBuffer.isView(value)) this.#visitBytes(value, field, isMedia);
    else if (isObject(value)) this.#visitObject(value, isMedia);
    else if (isStated(value)) this.#visitNumber(value, field);
  }

  #visitText(text: string, field: string, isMedia: boolean): void {
    if (isMedia && PAYLOADS.has(field)) return;
    this.add(this.#tokensOf(text, field), bytesInJson(text));
  }

  /** Bytes come from programs, not from JSON. Those of no medium have no tokens that anybody could know. */
  #visitBytes({ byteLength }: ArrayBufferView, field: string, isMedia: boolean): void {
    if (!isMedia || !PAYLOADS.has(field)) this.add(byteLength, byteLength);
  }

  #tokensOf(text: string, field: string): number {
    if (LABELS.has(field) && text.length <= LONGEST_LABEL) return 0;
    return ENCRYPTED.has(field) ? Math.ceil(text.length / CHARACTERS_PER_ENCRYPTED_TOKEN) : this.#count(text);
  }

  /** A number in a list of tokens is a token. Elsewhere it is data, up to three digits a token. True and false are data, too. */
  #visitNumber(value: unknown, field: string): void {
    const length = TOKEN_LISTS.has(field) ? 1 : String(value).length;
    this.add(Math.ceil(length / 3), length);
  }

  #visitList(list: readonly unknown[], field: string, isMedia: boolean): void {
    this.#checkRoomFor(list.length);
    this.add(0, list.length);
    for (const value of list) {
      if (typeof value === 'number') this.#visitNumber(value, field);
      else this.#pending.push({ value, field, isMedia });
    }
  }

  #visitObject(object: Body, isMedia: boolean): void {
    const fields = Object.keys(object);
    this.#checkRoomFor(fields.length);
    if (Object.hasOwn(object, 'role')) this.add(MESSAGE.tokens, MESSAGE.ceiling);
    const media = isMedia ? undefined : mediaTokensOf(object);
    if (media) this.add(media.expected, media.most);
    for (const field of fields) {
      if (PROVIDERS_OWN.has(field)) continue;
      this.#visitName(field);
      const value = object[field];
      const isContent = typeof value === 'string' || ArrayBuffer.isView(value) || CARRIERS.has(field);
      const isPart = (isMedia || media !== undefined) && isContent;
      this.#pending.push({ value, field, isMedia: isPart });
    }
  }

  #visitName(field: string): void {
    const tokens = STRUCTURE.has(field) ? 0 : this.#count(field) + DATA_FIELD.tokens;
    this.add(tokens, bytesInJson(field) + DATA_FIELD.ceiling);
  }

  #checkRoomFor(values: number): void {
    this.#values += values;
    if (this.#values <= MOST_VALUES) return;
    throw new LlmCallError('body', `must have at most ${MOST_VALUES} values`, this.#values);
  }
}

/** The model may see tools and their results as JSON, where some characters take more bytes. */
function bytesInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
