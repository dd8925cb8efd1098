import { Buffer } from 'node:buffer';
import { isObject, isStated } from '../json-object.js';
import { LlmCallError } from './call-error.js';
import { checkDepth, checkLevel } from './depth.js';
import type { Body } from './format.js';
import {
  CHARACTERS_PER_ENCRYPTED_TOKEN,
  DATA,
  ENCRYPTED,
  LABELS,
  LONGEST_LABEL,
  PROVIDERS_OWN,
  SETTINGS,
  STRUCTURE,
  TOKEN_LISTS,
} from './prompt-fields.js';
import { CARRIERS, type MediaTokens, mediaTokensOf, PAYLOADS, UNSEEN } from './tokens/media.js';

/** How long a prompt is, in tokens. */
interface PromptSize {
  /** Text, tools and media, estimated or counted. */
  readonly tokens: number;
  /** The most that they can be: bytes of text, and what media can take. */
  readonly ceiling: number;
  /** Whether it has content that the body only names. */
  readonly isUnseen: boolean;
}

/** What a message adds for its role and its ends, and the answer for its beginning; and the most that it can add. */
const MESSAGE = { tokens: 3, ceiling: 16 } as const;
/** What a field of data adds beside its name and its value: quotes, a colon and a comma. */
const DATA_FIELD = { tokens: 2, ceiling: 6 } as const;

/** Tools come with instructions that the provider writes: Anthropic states up to about 700 tokens. */
const TOOLS = { tokens: 100, ceiling: 1000 } as const;

/** Fields of a body that have messages, parts and tools in them. */
const PARTS_OF_PROMPTS: ReadonlySet<string> = new Set([
  'messages',
  'system',
  'input',
  'instructions',
  'prompt',
  'tools',
  'functions',
]);

/** More values than any real call has: a list of 2,048 texts as tokens has less. */
const MOST_VALUES = 1_000_000;

/**
 * Measures the prompt of a call, whatever its dialect. Each value is visited once, and nothing is called again for what lies
 * deeper, so deep and large bodies are safe.
 *
 * @param count - returns the tokens of a text
 * @param unseen - the tokens of what the body only names
 */
export function promptSizeOf(body: Body, count: (text: string) => number, unseen: MediaTokens = UNSEEN): PromptSize {
  const walk = new PromptWalk(count, unseen);
  walk.add(MESSAGE.tokens, MESSAGE.ceiling);
  for (const field of Object.keys(body)) {
    if (SETTINGS.has(field)) checkDepth(body[field]);
    else walk.visitAll(body[field], field, PARTS_OF_PROMPTS.has(field) ? 'message' : 'data');
  }
  if (Array.isArray(body.tools) && body.tools.length > 0) walk.add(TOOLS.tokens, TOOLS.ceiling);
  const namesHistory =
    isStated(body.previous_response_id) || isStated(body.conversation) || isStoredPrompt(body.prompt);
  if (namesHistory) walk.addUnseen();
  return walk;
}

function isStoredPrompt(prompt: unknown): boolean {
  return isObject(prompt) && !Array.isArray(prompt);
}

/** One value that waits to be visited. */
interface Pending {
  readonly value: unknown;
  readonly field: string;
  readonly context: Context;
  /** How many objects and lists it lies in. */
  readonly level: number;
}

/**
 * Where a value stands: in a message or a tool, where the dialect gives each field its meaning; in the content of an image, a file or
 * a sound; or in data. Data that looks like an image is none: the model sees its text.
 */
type Context = 'message' | 'medium' | 'data';

class PromptWalk implements PromptSize {
  tokens = 0;
  ceiling = 0;
  isUnseen = false;
  readonly #count: (text: string) => number;
  readonly #unseen: MediaTokens;
  readonly #pending: Pending[] = [];
  #values = 0;

  constructor(count: (text: string) => number, unseen: MediaTokens) {
    this.#count = count;
    this.#unseen = unseen;
  }

  add(tokens: number, ceiling: number): void {
    this.tokens += tokens;
    this.ceiling += ceiling;
  }

  addUnseen(): void {
    this.add(this.#unseen.expected, this.#unseen.most);
    this.isUnseen = true;
  }

  /** Visits a value of the body, and all values in it. */
  visitAll(value: unknown, field: string, context: Context): void {
    // Settings such as a temperature are numbers. Text, lists and objects may belong to the prompt.
    if (typeof value !== 'string' && !isObject(value)) return;
    this.#visit({ value, field, context, level: 1 });
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) this.#visit(next);
  }

  #visit({ value, field, context, level }: Pending): void {
    if (typeof value === 'string') this.#visitText(value, field, context);
    else if (Array.isArray(value)) this.#visitList(value, { field, context, level });
    else if (ArrayBuffer.isView(value)) this.#visitBytes(value, field, context);
    else if (isObject(value)) this.#visitObject(value, { context, level });
    else if (isStated(value)) this.#visitNumber(value, field, context);
  }

  #visitText(text: string, field: string, context: Context): void {
    if (context === 'medium' && PAYLOADS.has(field)) return;
    this.add(this.#tokensOf(text, field, context), bytesInJson(text));
  }

  #tokensOf(text: string, field: string, context: Context): number {
    if (context !== 'data' && LABELS.has(field) && text.length <= LONGEST_LABEL) return 0;
    return ENCRYPTED.has(field) ? Math.ceil(text.length / CHARACTERS_PER_ENCRYPTED_TOKEN) : this.#count(text);
  }

  /** Bytes come from programs, not from JSON. Those of no medium have no tokens that anybody could know. */
  #visitBytes({ byteLength }: ArrayBufferView, field: string, context: Context): void {
    if (context !== 'medium' || !PAYLOADS.has(field)) this.add(byteLength, byteLength);
  }

  /** A number in a list of tokens is a token. Elsewhere it is data, up to three digits a token. True and false are data, too. */
  #visitNumber(value: unknown, field: string, context: Context): void {
    const length = context !== 'data' && TOKEN_LISTS.has(field) ? 1 : String(value).length;
    this.add(Math.ceil(length / 3), length);
  }

  #visitList(list: readonly unknown[], { field, context, level }: Omit<Pending, 'value'>): void {
    checkLevel(level);
    this.#checkValues(list.length);
    this.add(0, list.length);
    for (const value of list) {
      if (typeof value === 'number') this.#visitNumber(value, field, context);
      else this.#pending.push({ value, field, context, level: level + 1 });
    }
  }

  #visitObject(object: Body, { context, level }: Pick<Pending, 'context' | 'level'>): void {
    checkLevel(level);
    const fields = Object.keys(object);
    this.#checkValues(fields.length);
    const isMessage = context === 'message';
    if (isMessage && Object.hasOwn(object, 'role')) this.add(MESSAGE.tokens, MESSAGE.ceiling);
    const media = isMessage ? mediaTokensOf(object, this.#unseen) : undefined;
    if (media === this.#unseen) this.addUnseen();
    else if (media) this.add(media.expected, media.most);
    for (const field of fields) {
      if (PROVIDERS_OWN.has(field) && context !== 'data') continue;
      this.#visitName(field, context);
      const value = object[field];
      this.#pending.push({
        value,
        field,
        context: contextOf(field, value, media ? 'medium' : context),
        level: level + 1,
      });
    }
  }

  #visitName(field: string, context: Context): void {
    const isFree = context !== 'data' && STRUCTURE.has(field);
    this.add(isFree ? 0 : this.#count(field) + DATA_FIELD.tokens, bytesInJson(field) + DATA_FIELD.ceiling);
  }

  #checkValues(values: number): void {
    this.#values += values;
    if (this.#values <= MOST_VALUES) return;
    throw new LlmCallError('body', `must have at most ${MOST_VALUES} values`, this.#values);
  }
}

/** Returns the context of a field's value. */
function contextOf(field: string, value: unknown, context: Context): Context {
  const isContent = typeof value === 'string' || ArrayBuffer.isView(value) || CARRIERS.has(field);
  if (context === 'medium' && isContent) return 'medium';
  return context === 'data' || DATA.has(field) || !STRUCTURE.has(field) ? 'data' : 'message';
}

/** The model may see tools and their results as JSON, where some characters take more bytes. */
function bytesInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
