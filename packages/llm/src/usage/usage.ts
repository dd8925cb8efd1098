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
  /** Whether the provider said that these numbers are final. */
  readonly complete: boolean;
}
