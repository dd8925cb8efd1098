// Why it is so: core/docs/why/budgets-of-models.md

import type { Dialect } from '../dialects/dialect.js';
import { isObject, isStated, type JsonObject } from '../json-object.js';
import { BILLED_BY_TOKENS, hasMedia, providerTools } from './billed-work.js';
import { type CheckedRules, isAllowed } from './body-rules.js';
import { LlmCallError } from './call-error.js';
import type { LlmCall } from './llm-call.js';

/** What the price of a model lists beside tokens. */
export interface PricedWork {
  /** The service tiers with rates of their own. */
  readonly tiers: readonly string[];
  /** The tools with a price for each use. */
  readonly tools: readonly string[];
  /** Whether sound and images have rates of their own. */
  readonly media: boolean;
  /** Whether characters of a text that is spoken have a rate. */
  readonly characters: boolean;
}

/** A price of tokens lists nothing beside them. */
const TOKENS_ALONE: PricedWork = { tiers: [], tools: [], media: false, characters: false };

/** The ways to be served that cost what the model costs, or less. */
const USUAL_TIERS: readonly unknown[] = ['auto', 'default', 'standard', 'standard_only', 'flex'];

/** Members whose work costs more than tokens of the model that is asked for. Each says whether its value does. */
const DEAR: Readonly<Record<string, (value: unknown, priced: PricedWork) => boolean>> = {
  service_tier: (tier, { tiers }) => isDearTier(tier, tiers),
  speed: (speed) => speed !== 'standard',
  inference_geo: (place) => place !== 'global',
  // The provider may answer with any of them.
  models: () => true,
  // Nobody hears of its usage.
  background: (background) => background !== false,
  modalities: (modalities, { media }) => !media && !isTextAlone(modalities),
  generationConfig: (generationConfig, { media }) => !media && hasMedia({ generationConfig }),
  generation_config: (generationConfig, { media }) => !media && hasMedia({ generationConfig }),
  // Bedrock's own tools, its checks of the text, and its faster services.
  toolConfig: (config) => isObject(config) && Array.isArray(config.tools) && config.tools.some(isSystemTool),
  guardrailConfig: () => true,
  performanceConfig: (config) => isObject(config) && config.latency !== 'standard',
  serviceTier: (tier, { tiers }) => isDearTier(isObject(tier) ? tier.type : tier, tiers),
  web_search_options: (_, { tools }) => !tools.includes('web_search'),
  plugins: (plugins) => !Array.isArray(plugins) || plugins.length > 0,
  // A compaction reads the prompt once more, and nobody knows how often there is one.
  context_management: compacts,
};

/**
 * Checks that a price says what a call costs, unless the rules of the operator allow it all the same.
 *
 * @throws LlmCallError that names the member by which it may cost more
 */
export function checkPriced(
  body: unknown,
  priced: PricedWork = TOKENS_ALONE,
  rules: CheckedRules = new Map(),
  { unpriced }: Pick<Dialect, 'unpriced'> = {},
): void {
  if (!isObject(body)) return;
  for (const [member, isDear] of Object.entries({ ...DEAR, ...unpriced })) {
    const { [member]: value }: JsonObject = body;
    if (!isStated(value) || !isDear(value, priced) || areAllowed(rules, member, value)) continue;
    throw new LlmCallError(member, 'is not offered here', value);
  }
  for (const { kind, field } of providerTools(body)) {
    if (field === 'web_search_options' || BILLED_BY_TOKENS.has(kind) || priced.tools.includes(kind)) continue;
    if (!isAllowed(rules, 'tools', kind)) throw new LlmCallError(field, 'is not offered here', kind);
  }
}

/**
 * Checks that a call says how often the provider may run its tools. Each use costs, and reads what nobody has seen.
 *
 * @throws LlmCallError that names the member which has to say it
 */
export function checkToolUses(body: unknown, rules: CheckedRules): void {
  if (!isObject(body)) return;
  const unbounded = providerTools(body).find(
    ({ kind, most }) => !Number.isFinite(most) && !isAllowed(rules, 'tools', kind),
  );
  if (unbounded)
    throw new LlmCallError(unbounded.mostField, `must say how often ${unbounded.kind} may be used`, undefined);
}

/**
 * Checks that a price has a rate of sound or images, if the output of a call is that alone.
 *
 * @throws LlmCallError that names the model
 */
export function checkMediaRate(
  { model, characters }: LlmCall,
  { media, characters: isByCharacters }: PricedWork,
  { mediaRate, inputRate }: Dialect,
): void {
  const rate = mediaRate ?? inputRate;
  if (rate !== undefined && !media && !(isByCharacters && characters !== undefined))
    throw new LlmCallError('model', `must have a price with the rate ${rate}`, model);
}

/**
 * Checks that an answer will state its usage, unless its price is that of characters.
 *
 * @throws LlmCallError that names the member which keeps it from stating it
 */
export function checkStatesUsage(
  body: unknown,
  { characters }: LlmCall,
  { characters: isByCharacters }: PricedWork = TOKENS_ALONE,
  { unmetered }: Dialect,
): void {
  if (!unmetered || !isObject(body) || (isByCharacters && characters !== undefined)) return;
  const fault = unmetered(body);
  if (fault) throw new LlmCallError(fault.field, fault.rule, fault.received);
}

/**
 * Checks that a price says how much output a call can have that nobody can cap.
 *
 * @throws LlmCallError that names the model
 */
export function checkMediaSize(
  { model, batch, outputCap }: LlmCall,
  maxOutput: number | undefined,
  { mediaRate, addsNoCap }: Dialect,
): void {
  if (maxOutput !== undefined) return;
  if (mediaRate !== undefined)
    throw new LlmCallError('model', 'must have a price with maxOutput, because no member caps its output', model);
  // No cap can be put into a batch, or into a body of which nobody knows the member for it.
  if ((batch || addsNoCap) && outputCap === undefined)
    throw new LlmCallError('model', 'must have a price with maxOutput, or the call a cap of its output', model);
}

/** Of a list, each element has to be allowed. */
function areAllowed(rules: CheckedRules, member: string, value: unknown): boolean {
  const values = Array.isArray(value) && value.length > 0 ? value : [value];
  return values.every((one) => isAllowed(rules, member, one));
}

function isDearTier(tier: unknown, priced: readonly string[]): boolean {
  return !USUAL_TIERS.includes(tier) && !priced.some((one) => one === tier);
}

function isSystemTool(tool: unknown): boolean {
  return isObject(tool) && isStated(tool.systemTool);
}

function isTextAlone(modalities: unknown): boolean {
  return Array.isArray(modalities) && modalities.every((modality) => modality === 'text');
}

/** OpenAI's list and Anthropic's object have the same members. */
function compacts(management: unknown): boolean {
  const { edits = management } = isObject(management) ? management : {};
  if (!Array.isArray(edits)) return true;
  return edits.some((edit) => !isObject(edit) || typeof edit.type !== 'string' || edit.type.startsWith('compact'));
}
