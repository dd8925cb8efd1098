import type { CallFormat, Format } from '../dialects/format.js';
import type { BilledWork } from './billed-work.js';

/** What a batch has in it. */
export interface BatchedCalls {
  /** How many calls. */
  readonly calls: number;
  /** The dialect of its calls. */
  readonly format: CallFormat;
}

/** A call of a model, read from the body of its request. All dialects have this one shape. */
export interface LlmCall extends BilledWork {
  /** The name of the model, as the caller wrote it. */
  readonly model: string;
  /** The dialect of the body. */
  readonly format: Format;
  /** Whether the caller wants the answer as server-sent events. */
  readonly stream: boolean;
  /** Tokens of the prompt, estimated: text, tools and media. Base64 of images and files is no text. */
  readonly input: number;
  /**
   * The most tokens that the prompt can have. Encoders that work on bytes never make more tokens than bytes. For what the body only
   * names (files by id or address, stored conversations) it is a million, or what `read.unseen` says. What tools of the provider add
   * is no part of it.
   */
  readonly inputCeiling: number;
  /** Present if the body only names a part of the prompt. If its usage is not known, the call is charged at least as held. */
  readonly unseen?: true;
  /** Answers that the provider makes: `n` or `best_of`, for each prompt of a completion. */
  readonly choices: number;
  /** The most output tokens that the caller lets the model make, for all choices together. Absent: no cap in the body, or none that the dialect has. */
  readonly outputCap?: number;
  /** The characters of a text that is spoken. Present for speech. */
  readonly characters?: number;
  /**
   * Present if it is a batch, or a call of one: it has the rates of the tier `batch`, and is sent as it is. The tokens and the choices of a
   * batch are the sums of its calls, and `toolUses` is that of one call.
   */
  readonly batch?: BatchedCalls;
}
