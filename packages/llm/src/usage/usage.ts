/** The most tokens of one class that a call can have. A larger number is a mistake of whoever states it, and is not charged. */
export const MOST_TOKENS = 1_000_000_000;

/** The tokens of one call. All providers have this one meaning: `input`, `cacheRead` and `cacheWrite` do not overlap. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  readonly input: number;
  /** Prompt tokens that the provider read from its cache. */
  readonly cacheRead: number;
  /** Prompt tokens that the provider wrote to its cache. */
  readonly cacheWrite: number;
  /** Tokens of `cacheWrite` that stay for an hour, which Anthropic charges more for. Absent: 0. */
  readonly cacheWrite1h?: number;
  /** Tokens that the model made, with `reasoning`. */
  readonly output: number;
  /** Tokens of `output` that the model made before its answer. */
  readonly reasoning: number;
  /** Tokens of `input` that are sound. Absent: 0, or nobody states them apart. */
  readonly audioInput?: number;
  /** Tokens of `input` that are images. Absent: 0, or nobody states them apart. */
  readonly imageInput?: number;
  /** Tokens of `output` that are sound. Absent: 0. */
  readonly audioOutput?: number;
  /** Tokens of `output` that are images. Absent: 0. */
  readonly imageOutput?: number;
  /** The service tier that the provider states. Absent: it states none. */
  readonly tier?: string;
  /** How often the provider used each of its tools: `{ web_search: 2 }`. Absent: it does not say. */
  readonly toolUses?: Readonly<Record<string, number>>;
  /** The cost that the provider states, in micro-dollars, rounded up. Absent: it states none. */
  readonly statedMicroDollars?: number;
  /** Whether the provider said that these numbers are final. */
  readonly complete: boolean;
}
