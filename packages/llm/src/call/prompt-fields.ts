/** Fields of a body that no provider puts into the prompt. All others count: what is new, or another server's own, may be read. */
export const SETTINGS: ReadonlySet<string> = new Set([
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

/**
 * Words of the dialects themselves. Their tokens are part of what each message and each tool adds. What stands in any other field
 * is data, which the model sees as it is.
 */
export const STRUCTURE: ReadonlySet<string> = new Set([
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
export const LABELS: ReadonlySet<string> = new Set([
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
export const LONGEST_LABEL = 64;

/** Fields inside messages that are for the provider alone: marks of its cache, and the proof that thoughts are its own. */
export const PROVIDERS_OWN: ReadonlySet<string> = new Set(['cache_control', 'signature']);

/** Thoughts that only the provider can read are base64: about four characters for a token of text. */
export const ENCRYPTED: ReadonlySet<string> = new Set(['encrypted_content']);
export const CHARACTERS_PER_ENCRYPTED_TOKEN = 4;

/** Fields of the dialects that hold data: arguments of tools, and the schemas of arguments. */
export const DATA: ReadonlySet<string> = new Set(['input', 'arguments', 'parameters', 'input_schema']);

/** Fields that may have lists of tokens in place of text. */
export const TOKEN_LISTS: ReadonlySet<string> = new Set(['input', 'prompt']);
