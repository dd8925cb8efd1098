import { isObject, isStated, type JsonObject } from '../json-object.js';
import type { Usage } from '../usage/usage.js';
import type { Counts } from './counts.js';
import type { Dialect } from './dialect.js';

/**
 * Results of the `ai` package, as its middleware sees them: objects in its models' results, and numbers with details in its own. It is
 * no dialect of calls.
 */
export const aiSdk: Pick<Dialect, 'statement' | 'usage'> = {
  statement: ({ totalUsage }) => (isObject(totalUsage) ? { usage: totalUsage, isFinal: true } : undefined),
  usage: (counts, stated) =>
    isStated(stated.inputTokens) || isStated(stated.outputTokens) ? usageOf(counts, stated) : undefined,
};

function usageOf(counts: Counts, { inputTokens, outputTokens }: JsonObject): Usage | undefined {
  const isModel = isObject(inputTokens) || isObject(outputTokens);
  const [inputs, outputs] = isModel ? ['inputTokens.', 'outputTokens.'] : ['inputTokenDetails.', 'outputTokenDetails.'];
  const suffix = isModel ? '' : 'Tokens';
  const total = counts.maybe(isModel ? 'inputTokens.total' : 'inputTokens');
  const noCache = counts.maybe(`${inputs}noCache${suffix}`);
  const reasoning = counts.of(`${outputs}reasoning${suffix}`);
  const output = counts.maybe(isModel ? 'outputTokens.total' : 'outputTokens');
  if (total === undefined && noCache === undefined && output === undefined) return undefined;
  const cacheRead = counts.of(`${inputs}cacheRead${suffix}`);
  const cacheWrite = counts.of(`${inputs}cacheWrite${suffix}`);
  // Only Anthropic's own usage, which is passed along, says how long an entry stays.
  const anHour = Math.min(cacheWrite, counts.of('raw.cache_creation.ephemeral_1h_input_tokens'));
  return {
    input:
      noCache ?? counts.difference(total ?? 0, cacheRead + cacheWrite, isModel ? 'inputTokens.total' : 'inputTokens'),
    cacheRead,
    cacheWrite,
    ...(anHour > 0 && { cacheWrite1h: anHour }),
    output: Math.max(output ?? 0, reasoning),
    reasoning,
    complete: true,
  };
}
