import type { AiCallParams, AiModel } from './call-params.js';
import { promptBody } from './prompt-body.js';

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
