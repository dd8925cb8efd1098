import { isObject, type JsonObject } from '../json-object.js';
import type { AiCallParams } from './call-params.js';

/**
 * Returns the body of a call in the dialect of OpenAI's chat. The `ai` package has names of its own for what providers get, and
 * options beside it that no model sees.
 */
export function promptBody(model: string, params: AiCallParams, isStream: boolean): JsonObject {
  const { prompt, tools, responseFormat } = params;
  const cap = outputCapOf(params);
  return {
    model,
    stream: isStream,
    messages: prompt.map(message),
    ...(tools && { tools: tools.map(tool) }),
    ...(responseFormat !== undefined && { response_format: responseFormat }),
    ...(cap !== undefined && { max_completion_tokens: cap }),
  };
}

/** Anthropic's provider adds the budget of thoughts to the cap. */
function outputCapOf({ maxOutputTokens, providerOptions }: AiCallParams): number | undefined {
  if (maxOutputTokens === undefined) return undefined;
  const budget = field(field(field(providerOptions, 'anthropic'), 'thinking'), 'budgetTokens');
  return maxOutputTokens + (typeof budget === 'number' && budget > 0 ? budget : 0);
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
  const { name, description, inputSchema } = fieldsOf(given);
  return { name, description, parameters: inputSchema };
}

function field(object: unknown, name: string): unknown {
  return fieldsOf(object)[name];
}

function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
