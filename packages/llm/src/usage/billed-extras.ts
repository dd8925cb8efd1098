import { kindsOf } from '../call/billed-work.js';
import { Counts, type InvalidUsage } from '../dialects/counts.js';
import { responseOf } from '../dialects/responses.js';
import { isObject, isStated, type JsonObject } from '../json-object.js';
import { MOST_TOKENS, type Usage } from './usage.js';

type Extras = Partial<
  Pick<Usage, 'audioInput' | 'imageInput' | 'audioOutput' | 'imageOutput' | 'tier' | 'toolUses' | 'statedMicroDollars'>
>;

/** Where usages of OpenAI state tokens of sound and images, and where those of Google have a list of them. */
interface MediaFields {
  readonly part: 'audioInput' | 'imageInput' | 'audioOutput' | 'imageOutput';
  readonly details: readonly string[];
  readonly field: string;
  readonly list: string;
  readonly modality: string;
}

// Transcriptions have `input_token_details`.
const IN = {
  details: ['prompt_tokens_details', 'input_tokens_details', 'input_token_details'],
  list: 'promptTokensDetails',
};
const OUT = { details: ['completion_tokens_details', 'output_tokens_details'], list: 'candidatesTokensDetails' };
const AUDIO = { field: 'audio_tokens', modality: 'AUDIO' };
const IMAGE = { field: 'image_tokens', modality: 'IMAGE' };

const MEDIA: readonly MediaFields[] = [
  { part: 'audioInput', ...IN, ...AUDIO },
  { part: 'imageInput', ...IN, ...IMAGE },
  { part: 'audioOutput', ...OUT, ...AUDIO },
  { part: 'imageOutput', ...OUT, ...IMAGE },
];

/** OpenAI's streams begin with the tier that was asked for. The last event has the one that served the call. */
const UNDECIDED: ReadonlySet<string> = new Set(['auto', 'unspecified']);

/** The counts of Anthropic's usage of tools, `web_search_requests`, end in this. */
const REQUESTS = /^(\w+)_requests$/;

/** The items of OpenAI's responses that are uses of tools: `web_search_call`. */
const CALL_ITEM = /^(\w+)_call$/;

/** Calls of tools that the caller runs. A `shell` may be one of the provider's. */
const CALLERS_OWN: ReadonlySet<string> = new Set([
  'function',
  'custom_tool',
  'computer',
  'local_shell',
  'apply_patch',
  'tool_search',
]);

/** Reads what an answer states of its price beside tokens: the tier that served it, uses of tools, sound, images and a cost. */
export class BilledExtras {
  /** The id of a response; undefined if no event has it. */
  id: string | undefined;
  /** The first number of the last usage that makes no sense. */
  invalid: InvalidUsage | undefined;
  #extras: Extras = {};
  /** The uses that single items of a stream have shown. */
  readonly #items = new Map<string, number>();

  /** Reads an event of a stream, or a whole answer. */
  readEvent(event: JsonObject): void {
    const response = responseOf(event);
    const { id } = response ?? (event.object === 'response' ? event : {});
    if (typeof id === 'string') this.id = id;
    this.#setTier(event.service_tier);
    if (response) this.#setTier(response.service_tier);
    const output = response?.output ?? (event.object === 'response' ? event.output : undefined);
    if (Array.isArray(output) && (output.length > 0 || !response)) {
      // The last word has all of them.
      this.#items.clear();
      for (const item of output) this.#count(item);
      this.#extras = { ...this.#extras, toolUses: Object.fromEntries(this.#items) };
    } else if (event.type === 'response.output_item.done') {
      this.#count(event.item);
      this.#extras = { ...this.#extras, toolUses: Object.fromEntries(this.#items) };
    }
  }

  /** Reads the object `usage` of an answer. */
  readUsage(usage: JsonObject): void {
    const { service_tier: tier, serviceTier, server_tool_use: tools, cost } = usage;
    const counts = new Counts(usage);
    const media = MEDIA.map((fields) => [fields.part, mediaTokens(counts, fields)]).filter(
      ([, tokens]) => tokens !== 0,
    );
    const microDollars = microDollarsUp(cost);
    this.#setTier(tier ?? serviceTier);
    this.#extras = {
      ...this.#extras,
      ...Object.fromEntries(media),
      // Anthropic states null if no tool was used.
      ...('server_tool_use' in usage && { toolUses: usesOf(counts, tools) }),
      ...(microDollars !== undefined && { statedMicroDollars: microDollars }),
    };
    this.invalid = counts.invalid;
  }

  /** Adds what was read to a usage. A part is never more than the whole: cached sound, for example, is no input any more. */
  of(usage: Usage): Usage {
    const { audioInput = 0, imageInput = 0, audioOutput = 0, imageOutput = 0, ...others } = this.#extras;
    const audioIn = Math.min(audioInput, usage.input);
    const audioOut = Math.min(audioOutput, usage.output);
    const parts = {
      audioInput: audioIn,
      imageInput: Math.min(imageInput, usage.input - audioIn),
      audioOutput: audioOut,
      imageOutput: Math.min(imageOutput, usage.output - audioOut),
    };
    const present = Object.fromEntries(Object.entries(parts).filter(([, tokens]) => tokens > 0));
    return { ...usage, ...present, ...others };
  }

  /** Google may write it in capitals. */
  #setTier(stated: unknown): void {
    // Each chunk of a stream may have it.
    if (typeof stated !== 'string' || stated === this.#extras.tier) return;
    const tier = stated.toLowerCase();
    if (!UNDECIDED.has(tier)) this.#extras = { ...this.#extras, tier };
  }

  #count(item: unknown): void {
    const [, tool] = CALL_ITEM.exec(kindsOf(item)[0] ?? '') ?? [];
    if (tool !== undefined && !CALLERS_OWN.has(tool)) this.#items.set(tool, (this.#items.get(tool) ?? 0) + 1);
  }
}

/** Google's numbers have what is cached in them. */
function mediaTokens(counts: Counts, { part, details, field, list, modality }: MediaFields): number {
  const listed = (name: string): number => counts.sum(name, 'tokenCount', (one) => one.modality === modality);
  const cached = part.endsWith('Input') ? listed('cacheTokensDetails') : 0;
  return Math.max(...details.map((name) => counts.of(`${name}.${field}`)), listed(list) - cached);
}

function usesOf(counts: Counts, tools: unknown): Readonly<Record<string, number>> {
  const names = isObject(tools) ? Object.keys(tools) : [];
  return Object.fromEntries(
    names.flatMap((name) => {
      const [, tool] = REQUESTS.exec(name) ?? [];
      const uses = tool === undefined ? 0 : counts.of(`server_tool_use.${name}`);
      return uses > 0 ? [[tool, uses]] : [];
    }),
  );
}

/** Nobody pays more for a call than this, in dollars. */
const MOST_DOLLARS = 1_000_000;

/** Returns dollars as whole micro-dollars, rounded up from the decimal that was written; undefined if it is no cost. */
function microDollarsUp(dollars: unknown): number | undefined {
  if (typeof dollars !== 'number' || !(dollars >= 0 && dollars <= MOST_DOLLARS)) return undefined;
  const [, whole = '0', decimals = '', exponent = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(dollars)) ?? [];
  const places = decimals.length - Number(exponent);
  const digits = BigInt(whole + decimals);
  if (places <= 6) return Number(digits * 10n ** BigInt(6 - places));
  const unit = 10n ** BigInt(places - 6);
  return Number((digits + unit - 1n) / unit);
}

const SUMMED = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const;

/**
 * Returns a usage with the tokens of all its iterations. A compaction is a call of its own, whose tokens Anthropic states in
 * `iterations` alone.
 */
export function withIterations(usage: JsonObject): JsonObject {
  const { iterations } = usage;
  if (!Array.isArray(iterations) || iterations.length === 0) return usage;
  const sums = SUMMED.map((field) => [field, summed(iterations, (iteration) => iteration[field], usage[field])]);
  const kept = ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'].map((field) => [
    field,
    summed(
      iterations,
      ({ cache_creation: made }) => (isObject(made) ? made[field] : undefined),
      isObject(usage.cache_creation) ? usage.cache_creation[field] : undefined,
    ),
  ]);
  return { ...usage, ...Object.fromEntries(sums), cache_creation: Object.fromEntries(kept) };
}

/** The sum, or what stands in the usage itself if that is more or makes no sense. */
function summed(iterations: readonly unknown[], of: (iteration: JsonObject) => unknown, own: unknown): unknown {
  const sum = iterations.filter(isObject).reduce<number>((all, iteration) => {
    const tokens = of(iteration);
    if (!isStated(tokens)) return all;
    return typeof tokens === 'number' ? all + tokens : Number.NaN;
  }, 0);
  if (!isStated(own)) return sum;
  return typeof own === 'number' && own <= sum && sum <= MOST_TOKENS ? sum : own;
}
