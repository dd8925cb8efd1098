import { isObject, isStated, type JsonObject } from '../json-object.js';
import type { Usage } from '../usage/usage.js';
import type { Counts } from './counts.js';
import type { Dialect } from './dialect.js';

/**
 * The usage of Bedrock's Converse. It counts cached tokens beside `inputTokens`, and says in a list what is kept for an hour.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
export const bedrock: Pick<Dialect, 'usage'> = {
  usage: (counts, stated) =>
    isStated(stated.cacheReadInputTokens) || isStated(stated.cacheWriteInputTokens)
      ? usageOf(counts, stated)
      : undefined,
};

function usageOf(counts: Counts, { cacheDetails }: JsonObject): Usage {
  const details = Array.isArray(cacheDetails) ? cacheDetails : [];
  const anHour = details.reduce<number>(
    (sum, detail, i) =>
      sum + (isObject(detail) && detail.ttl === '1h' ? counts.of(`cacheDetails.${i}.inputTokens`) : 0),
    0,
  );
  return {
    input: counts.of('inputTokens'),
    cacheRead: counts.of('cacheReadInputTokens'),
    cacheWrite: Math.max(counts.of('cacheWriteInputTokens'), anHour),
    ...(anHour > 0 && { cacheWrite1h: anHour }),
    output: counts.of('outputTokens'),
    reasoning: 0,
    complete: true,
  };
}
