/** What is used of the model that a middleware wraps. */
export interface AiModel {
  readonly provider: string;
  readonly modelId: string;
}

/** A model that makes whole answers. */
export interface GeneratingModel<Result> extends AiModel {
  doGenerate(params: AiCallParams): PromiseLike<Result>;
}

/** A model that makes streams. */
export interface StreamingModel<Result> extends AiModel {
  doStream(params: AiCallParams): PromiseLike<Result>;
}

/** What is used of the options of a call, in the versions 6 and 7 of the `ai` package. */
export interface AiCallParams {
  readonly prompt: readonly unknown[];
  readonly maxOutputTokens?: number | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly responseFormat?: unknown;
  readonly providerOptions?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}
