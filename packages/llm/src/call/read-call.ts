import { checkFunction, checkOneOf, checkOptions, checkWhole } from '@sluice/core/values';
import { dialectOf, dialectOfBody } from '../dialects/dialects.js';
import { type CallFormat, FORMATS } from '../dialects/format.js';
import { isObject, isStated, type JsonObject } from '../json-object.js';
import { billedWork } from './billed-work.js';
import { LlmCallError } from './call-error.js';
import { choicesOf, outputCapOf, times } from './caps.js';
import type { LlmCall } from './llm-call.js';
import { promptSizeOf } from './prompt-size.js';
import { boundedCounter, type TokenCounter } from './tokens/counter.js';

/** Options of `readCall`. */
export interface ReadCallOptions {
  /** The dialect of the route. State it where you know it. Default: recognized from the body. */
  readonly format?: CallFormat;
  /** The model, where the address names it and not the body, as Azure's do. Default: the body's `model`. */
  readonly model?: string;
  /** Whether the answer is a stream, where the address says so and not the body. Default: the body's `stream`. */
  readonly stream?: boolean;
  /**
   * Counts a text exactly, for example with an encoder for the model. It is given only what it can count fast: at most 50,000
   * characters of a call, and no run of more than 100 letters, signs or spaces. Default: everything is estimated.
   */
  readonly count?: TokenCounter;
  /**
   * The most tokens of each thing that the body only names: a file by its id or address, a stored conversation or prompt. Default: a
   * call is expected to have 10,000, and to have a million at most.
   */
  readonly unseen?: number;
}

const LONGEST_MODEL = 256;

const NO_CALL = 'must be an object with messages, input or prompt';

/** No model reads more. */
const MOST_UNSEEN = 100_000_000;

/**
 * Reads a call of any dialect: OpenAI's, Anthropic's, Gemini's or Bedrock's. The time grows with the size of the body, and with nothing
 * else. Gemini and Bedrock name the model in the address: state it, and the dialect.
 *
 * @param body - the body of the request, parsed
 * @throws LlmCallError `SLUICE_LLM_CALL`, with the `field`, if it is no call, or if a field of it is wrong
 * @example
 * const { model, input, outputCap } = readCall(JSON.parse(text));
 */
export function readCall(body: unknown, options: ReadCallOptions = {}): LlmCall {
  checkReadOptions(options);
  if (!isObject(body) || Array.isArray(body)) {
    throw new LlmCallError('body', NO_CALL, body);
  }
  const model = modelOf(body, options.model);
  const stated = options.format === undefined ? dialectOfBody(body, model) : dialectOf(options.format);
  const dialect = stated?.variant?.(body, model) ?? stated;
  if (!dialect) throw new LlmCallError('body', NO_CALL, body);
  const fault = dialect.fault(body);
  if (fault) throw new LlmCallError(fault.field, fault.rule, fault.received);
  const choices = choicesOf(body, dialect);
  const cap = outputCapOf(body, dialect);
  const { unseen } = options;
  const { tokens, ceiling, isUnseen } = promptSizeOf(body, {
    dialect,
    count: boundedCounter(options.count, model),
    unseen: unseen === undefined ? undefined : { expected: unseen, most: unseen },
  });
  return {
    model,
    format: dialect.format,
    stream: options.stream ?? streamOf(body),
    input: tokens,
    inputCeiling: Math.max(tokens, ceiling),
    ...(isUnseen && { unseen: true as const }),
    choices,
    ...(cap !== undefined && { outputCap: times(cap, choices) }),
    ...billedWork(body, dialect.mediaUnasked === true),
    ...(dialect.mediaRate && { media: true as const }),
    ...(dialect.characters && { characters: dialect.characters(body) }),
  };
}

/**
 * Checks how calls are read.
 *
 * @param path - where the options stand
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkReadOptions(options: ReadCallOptions, path = ''): void {
  checkOptions(options, ['format', 'model', 'stream', 'count', 'unseen'], path);
  const { format, stream, count, unseen } = options;
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (format !== undefined) checkOneOf(format, at('format'), FORMATS);
  if (stream !== undefined) checkOneOf(stream, at('stream'), [true, false]);
  if (count !== undefined) checkFunction(count, at('count'));
  if (unseen !== undefined) checkWhole(unseen, at('unseen'), 0, MOST_UNSEEN);
}

function modelOf(body: JsonObject, named: string | undefined): string {
  const model = named ?? body.model;
  if (typeof model !== 'string' || model === '') throw new LlmCallError('model', 'must be text', model);
  if (model.length <= LONGEST_MODEL) return model;
  throw new LlmCallError('model', `must have at most ${LONGEST_MODEL} characters`, model);
}

function streamOf({ stream }: JsonObject): boolean {
  if (!isStated(stream)) return false;
  if (typeof stream === 'boolean') return stream;
  throw new LlmCallError('stream', 'must be true or false', stream);
}
