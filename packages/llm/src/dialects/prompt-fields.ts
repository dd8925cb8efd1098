/** What the fields of a body mean to the model. */
export interface PromptFields {
  /** Fields of the body that no provider puts into the prompt. All others count: what is new, or another server's own, may be read. */
  readonly settings: ReadonlySet<string>;
  /** Fields of the body that have messages, parts and tools in them. */
  readonly parts: ReadonlySet<string>;
  /**
   * Words of the dialect itself. Their tokens are part of what each message and each tool adds. What stands in any other field is
   * data, which the model sees as it is.
   */
  readonly structure: ReadonlySet<string>;
  /** Fields whose short values are names of the dialect, or ids that providers do not show to the model. */
  readonly labels: ReadonlySet<string>;
  /** Fields inside messages that are for the provider alone: marks of its cache, and the proof that thoughts are its own. */
  readonly providersOwn: ReadonlySet<string>;
  /** Thoughts that only the provider can read. */
  readonly encrypted: ReadonlySet<string>;
  /** Fields that hold data: arguments of tools, and the schemas of arguments. */
  readonly data: ReadonlySet<string>;
  /** Fields that may have lists of tokens in place of text. */
  readonly tokenLists: ReadonlySet<string>;
}

const SETTINGS = [
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
];

const PARTS = ['messages', 'system', 'input', 'instructions', 'prompt', 'tools', 'functions'];

const STRUCTURE = [
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
];

const LABELS = ['role', 'type', 'id', 'tool_call_id', 'tool_use_id', 'call_id', 'media_type', 'detail', 'status'];

/** The fields of OpenAI's and Anthropic's bodies. Each of the two takes some of the other's, and other servers take both. */
export const SHARED_PROMPT: PromptFields = {
  settings: new Set(SETTINGS),
  parts: new Set(PARTS),
  structure: new Set(STRUCTURE),
  labels: new Set(LABELS),
  providersOwn: new Set(['cache_control', 'signature']),
  encrypted: new Set(['encrypted_content']),
  data: new Set(['input', 'arguments', 'parameters', 'input_schema']),
  tokenLists: new Set(['input', 'prompt']),
};
