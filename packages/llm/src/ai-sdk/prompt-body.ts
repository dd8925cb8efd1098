import type { BodyChange } from '../call/body-change.js';
import { LlmCallError } from '../call/call-error.js';
import { isObject, type JsonObject } from '../json-object.js';
import type { AiCallParams } from './call-params.js';

/**
 * Returns the body of a call in the dialect of OpenAI's chat. The `ai` package has names of its own for what providers get, and
 * options beside it that no model sees.
 */
export function promptBody(model: string, params: AiCallParams, isStream: boolean): JsonObject {
  const { prompt, tools, responseFormat } = params;
  const cap = outputCapOf(params);
  const tier = field(field(params.providerOptions, 'openai'), 'serviceTier');
  return {
    model,
    stream: isStream,
    messages: prompt.map(message),
    ...(tools && { tools: tools.map(tool) }),
    ...(responseFormat !== undefined && { response_format: responseFormat }),
    ...(cap !== undefined && { max_completion_tokens: cap }),
    ...(tier !== undefined && { service_tier: tier }),
  };
}

function outputCapOf(params: AiCallParams): number | undefined {
  const { maxOutputTokens } = params;
  return maxOutputTokens === undefined ? undefined : maxOutputTokens + budgetOf(params);
}

/**
 * Returns the options by which a call asks for at most so many output tokens.
 *
 * @throws LlmCallError if its budget of thoughts alone is as large
 */
export function cappedParams(params: AiCallParams, cap: number | undefined): AiCallParams {
  if (cap === undefined) return params;
  const most = cap - budgetOf(params);
  if (most < 1) {
    const rule = `must be stated: beside its budget of thoughts, the call has no room in the ${cap} tokens that it may hold`;
    throw new LlmCallError('maxOutputTokens', rule, params.maxOutputTokens);
  }
  const { maxOutputTokens: stated } = params;
  return stated !== undefined && stated <= most ? params : { ...params, maxOutputTokens: most };
}

/**
 * Returns the options with what the operator's rules change in the body that stands for them.
 *
 * @throws LlmCallError that names a member which no option of the `ai` package stands for
 */
export function ruledParams(params: AiCallParams, ruled: readonly BodyChange[]): AiCallParams {
  let sent = params;
  for (const { path, value } of ruled) sent = { ...sent, ...paramOf(sent, path, value) };
  return sent;
}

function paramOf({ providerOptions }: AiCallParams, path: BodyChange['path'], value: unknown): Partial<AiCallParams> {
  const [name] = path;
  if (name === 'max_completion_tokens' && typeof value === 'number') return { maxOutputTokens: value };
  if (name !== 'service_tier')
    throw new LlmCallError(path.join('.'), 'cannot be changed in a call of the ai package', value);
  const options = fieldsOf(providerOptions);
  return { providerOptions: { ...options, openai: { ...fieldsOf(options.openai), serviceTier: value } } };
}

/** Anthropic's provider adds the budget of thoughts to the cap. */
function budgetOf({ providerOptions }: AiCallParams): number {
  const budget = field(field(field(providerOptions, 'anthropic'), 'thinking'), 'budgetTokens');
  return typeof budget === 'number' && budget > 0 ? budget : 0;
}

function message(given: unknown): JsonObject {
  const { role, content } = fieldsOf(given);
  return { role, content: Array.isArray(content) ? content.map(part) : content };
}

function part(given: unknown): JsonObject {
  const fields = fieldsOf(given);
  const { type } = fields;
  if (type === 'file' || type === 'reasoning-file') return filePart(fields);
  if (type === 'tool-call') return { type, name: fields.toolName, input: fields.input };
  if (type === 'tool-result') return { type, name: fields.toolName, ...toolOutput(fields.output) };
  const { providerOptions: _, ...shown } = fields;
  return shown;
}

/** The result of a tool is a list of parts, or data. */
function toolOutput(output: unknown): JsonObject {
  const { type, value, reason } = fieldsOf(output);
  const isParts = type === 'content' && Array.isArray(value);
  return isParts ? { output: value.map(part) } : { arguments: value ?? reason };
}

/** Version 6 has text as base64, bytes or an address. Version 7 has an object that says which. */
function filePart({ data: given, mediaType, filename }: JsonObject): JsonObject {
  const isTagged = typeof given === 'object' && given !== null && 'type' in given;
  const { data, text } = isTagged ? fieldsOf(given) : { data: given, text: undefined };
  if (text !== undefined) return { type: 'text', text, filename };
  const type = mediaKind(mediaType);
  return typeof data === 'string' || ArrayBuffer.isView(data) ? { type, data, filename } : { type, filename };
}

function mediaKind(mediaType: unknown): string {
  const kind = typeof mediaType === 'string' ? mediaType.split('/', 1)[0] : undefined;
  if (kind === 'image') return 'image';
  return kind === 'audio' ? 'input_audio' : 'file';
}

function tool(given: unknown): JsonObject {
  const { name, description, inputSchema, id, args } = fieldsOf(given);
  // A tool of the provider: `openai.web_search`, `anthropic.web_search_20250305`.
  if (typeof id === 'string') {
    const { maxUses } = fieldsOf(args);
    return { type: id.slice(id.indexOf('.') + 1), name, ...(maxUses !== undefined && { max_uses: maxUses }) };
  }
  return { name, description, parameters: inputSchema };
}

function field(object: unknown, name: string): unknown {
  return fieldsOf(object)[name];
}

function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
