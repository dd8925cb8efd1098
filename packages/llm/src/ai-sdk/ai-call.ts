import { promptBody } from './prompt-body.js';

/** What is used of the model that a middleware wraps. */
export interface AiModel {
  readonly provider: string;
  readonly modelId: string;
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

/** A call of the `ai` package: the subject of the limiter. */
export interface AiCall<Context = undefined> {
  /** The call as a body that `readCall` reads. Nobody sends it. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** The provider of the model, such as `openai.responses`. */
  readonly provider: string;
  /** The option `context` of the middleware: for example the user. */
  readonly context: Context;
  /** The options of the call, as the `ai` package gives them to models. */
  readonly params: AiCallParams;
}

/** Returns the subject for one call. */
export function aiCall<Context>(
  { provider, modelId: model }: AiModel,
  params: AiCallParams,
  { isStream, context }: { readonly isStream: boolean; readonly context: Context },
): AiCall<Context> {
  return { body: promptBody(model, params, isStream), model, provider, context, params };
}
