import type { Format } from '../dialects/format.js';
import type { Usage } from './usage.js';
import { createUsageReader } from './usage-reader.js';

/**
 * Returns the usage that an answer states: JSON of any dialect, or a result of the `ai` package. Returns undefined if it states none, or one that makes no sense.
 *
 * @param answer - the whole answer, parsed. For streams use a meter
 * @param format - the dialect, if you know it. Default: recognized by the names of the fields
 * @example
 * const answer = await openai.chat.completions.create({ model, messages });
 * const usage = readUsage(answer); // { input: 25, cacheRead: 100, cacheWrite: 0, output: 12, reasoning: 0, complete: true }
 */
export function readUsage(answer: unknown, format?: Format): Usage | undefined {
  const reader = createUsageReader(format);
  reader.read(answer);
  return reader.invalid || !reader.stated ? undefined : reader.usage;
}
