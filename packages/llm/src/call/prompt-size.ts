import { Buffer } from 'node:buffer';
import type { Dialect } from '../dialects/dialect.js';
import type { PromptFields } from '../dialects/prompt-fields.js';
import { isObject, isStated, type JsonObject } from '../json-object.js';
import { LlmCallError } from './call-error.js';
import { checkDepth, checkLevel } from './depth.js';
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

/** The longest value of a label. */
const LONGEST_LABEL = 64;

/** Encrypted thoughts are base64: about four characters for a token of text. */
const CHARACTERS_PER_ENCRYPTED_TOKEN = 4;

/** More values than any real call has: a list of 2,048 texts as tokens has less. */
const MOST_VALUES = 1_000_000;

/** How a prompt is measured. */
interface PromptRules {
  readonly dialect: Dialect;
  /** Returns the tokens of a text. */
  readonly count: (text: string) => number;
  /** The tokens of what the body only names. */
  readonly unseen?: MediaTokens | undefined;
}

/**
 * Measures the prompt of a call. Each value is visited once, and nothing is called again for what lies deeper, so deep and large
 * bodies are safe.
 */
export function promptSizeOf(body: JsonObject, { dialect, count, unseen = UNSEEN }: PromptRules): PromptSize {
  const { settings, parts } = dialect.prompt;
  const walk = new PromptWalk(count, unseen, dialect.prompt);
  walk.add(MESSAGE.tokens, MESSAGE.ceiling);
  for (const field of Object.keys(body)) {
    if (settings.has(field)) checkDepth(body[field]);
    else walk.visitAll(body[field], field, parts.has(field) ? 'message' : 'data');
  }
  const tools = dialect.tools ? dialect.tools(body) : body.tools;
  if (Array.isArray(tools) && tools.length > 0) walk.add(TOOLS.tokens, TOOLS.ceiling);
  if (dialect.namesHistory(body)) walk.addUnseen();
  return walk;
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
  readonly #fields: PromptFields;
  readonly #pending: Pending[] = [];
  #values = 0;

  constructor(count: (text: string) => number, unseen: MediaTokens, fields: PromptFields) {
    this.#count = count;
    this.#unseen = unseen;
    this.#fields = fields;
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
    if (context !== 'data' && this.#fields.labels.has(field) && text.length <= LONGEST_LABEL) return 0;
    return this.#fields.encrypted.has(field)
      ? Math.ceil(text.length / CHARACTERS_PER_ENCRYPTED_TOKEN)
      : this.#count(text);
  }

  /** Bytes come from programs, not from JSON. Those of no medium have no tokens that anybody could know. */
  #visitBytes({ byteLength }: ArrayBufferView, field: string, context: Context): void {
    if (context !== 'medium' || !PAYLOADS.has(field)) this.add(byteLength, byteLength);
  }

  /** A number in a list of tokens is a token. Elsewhere it is data, up to three digits a token. True and false are data, too. */
  #visitNumber(value: unknown, field: string, context: Context): void {
    const length = context !== 'data' && this.#fields.tokenLists.has(field) ? 1 : String(value).length;
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

  #visitObject(object: JsonObject, { context, level }: Pick<Pending, 'context' | 'level'>): void {
    checkLevel(level);
    const fields = Object.keys(object);
    this.#checkValues(fields.length);
    const isMessage = context === 'message';
    if (isMessage && Object.hasOwn(object, 'role')) this.add(MESSAGE.tokens, MESSAGE.ceiling);
    const media = isMessage ? mediaTokensOf(object, this.#unseen) : undefined;
    if (media === this.#unseen) this.addUnseen();
    else if (media) this.add(media.expected, media.most);
    for (const field of fields) {
      if (this.#fields.providersOwn.has(field) && context !== 'data') continue;
      this.#visitName(field, context);
      const value = object[field];
      this.#pending.push({
        value,
        field,
        context: this.#contextOf(field, value, media ? 'medium' : context),
        level: level + 1,
      });
    }
  }

  /** Returns the context of a field's value. */
  #contextOf(field: string, value: unknown, context: Context): Context {
    const isContent = typeof value === 'string' || ArrayBuffer.isView(value) || CARRIERS.has(field);
    if (context === 'medium' && isContent) return 'medium';
    const { data, structure } = this.#fields;
    return context === 'data' || data.has(field) || !structure.has(field) ? 'data' : 'message';
  }

  #visitName(field: string, context: Context): void {
    const isFree = context !== 'data' && this.#fields.structure.has(field);
    this.add(isFree ? 0 : this.#count(field) + DATA_FIELD.tokens, bytesInJson(field) + DATA_FIELD.ceiling);
  }

  #checkValues(values: number): void {
    this.#values += values;
    if (this.#values <= MOST_VALUES) return;
    throw new LlmCallError('body', `must have at most ${MOST_VALUES} values`, this.#values);
  }
}

/** The model may see tools and their results as JSON, where some characters take more bytes. */
function bytesInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
