/** The dialects of model APIs that Sluice reads. */
export type Format =
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-completions'
  | 'openai-embeddings'
  | 'anthropic-messages';

/** A call of a model, read from the body of its request. All dialects have this one shape. */
export interface LlmCall {
  /** The name of the model, as the caller wrote it. */
  readonly model: string;
  readonly format: Format;
  /** Whether the caller wants the answer as server-sent events. */
  readonly stream: boolean;
  /** Tokens of the prompt, estimated: text, tools and images. */
  readonly input: number;
  /** The most bytes that the prompt can have as tokens: byte-level encodings never make more tokens than bytes. */
  readonly inputCeiling: number;
  /** Answers that the caller wants of one prompt: `n`, or 1. */
  readonly choices: number;
  /** The most output tokens that the caller lets the model make, for all choices together. Absent: no cap in the body. */
  readonly outputCap?: number;
}
