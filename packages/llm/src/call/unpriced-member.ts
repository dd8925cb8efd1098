// Why it is so: core/docs/why/budgets-of-models.md

import { isObject, isStated, type JsonObject } from '../json-object.js';
import { LlmCallError } from './call-error.js';

/** The ways to be served that cost what the model costs, or less. */
const USUAL_TIERS: readonly unknown[] = ['auto', 'default', 'standard_only', 'flex'];

/** Tools that the caller runs, or that cost nothing but their tokens. Dates may follow: `text_editor_20250728`. */
const FREE_TOOLS =
  /^(?:function|custom|namespace|computer(?:_use_preview)?|bash|shell|local_shell|text_editor|apply_patch|memory|mcp|tool_search\w*?|web_fetch)(?:_\d{8})?$/;

/** Gemini's tools have no type. These cost nothing but their tokens. */
const FREE_UNTYPED =
  /^(?:functionDeclarations|function_declarations|codeExecution|code_execution|urlContext|url_context|computerUse|computer_use)$/;

/** Members whose work costs more than the tokens of the model that is asked for. Each says whether its value does. */
const DEAR: Readonly<Record<string, (value: unknown) => boolean>> = {
  service_tier: (tier) => !USUAL_TIERS.includes(tier),
  speed: (speed) => speed !== 'standard',
  inference_geo: (place) => place !== 'global',
  // The provider may answer with any of them.
  models: () => true,
  // Nobody hears of its usage.
  background: (background) => background !== false,
  modalities: (modalities) => !isTextAlone(modalities),
  generationConfig: makesMedia,
  generation_config: makesMedia,
  // Bedrock's own tools, its checks of the text, and its faster services.
  toolConfig: (config) => isObject(config) && Array.isArray(config.tools) && config.tools.some(isSystemTool),
  guardrailConfig: () => true,
  performanceConfig: (config) => isObject(config) && config.latency !== 'standard',
  serviceTier: (tier) => !USUAL_TIERS.includes(isObject(tier) ? tier.type : tier),
  tools: (tools) => unpricedTool(tools) >= 0,
  web_search_options: () => true,
  plugins: (plugins) => !Array.isArray(plugins) || plugins.length > 0,
  // A compaction is a call of its own, whose tokens stand elsewhere in the usage.
  context_management: compacts,
};

/**
 * Checks that a table of prices by the token says what a call costs.
 *
 * @throws LlmCallError that names the member by which it may cost more
 */
export function checkPriced(body: unknown): void {
  if (!isObject(body)) return;
  for (const [member, isDear] of Object.entries(DEAR)) {
    const { [member]: value }: JsonObject = body;
    if (!isStated(value) || !isDear(value)) continue;
    const tool = member === 'tools' ? unpricedTool(value) : -1;
    if (tool < 0) throw new LlmCallError(member, 'is not offered here', value);
    throw new LlmCallError(`tools[${tool}].type`, 'is not offered here', typeOf((value as unknown[])[tool]));
  }
}

function isTextAlone(modalities: unknown): boolean {
  return Array.isArray(modalities) && modalities.every((modality) => modality === 'text');
}

/** Returns the place of the first tool that may be billed for each use; -1 if there is none. */
function unpricedTool(tools: unknown): number {
  return Array.isArray(tools) ? tools.findIndex((tool) => !FREE_TOOLS.test(typeOf(tool))) : -1;
}

/** Anthropic's own tools have a type; those of the caller need none, but have a name. Gemini's are named by their members. */
function typeOf(tool: unknown): string {
  if (!isObject(tool)) return 'custom';
  if (isStated(tool.type)) return String(tool.type);
  if (isStated(tool.name) || isStated(tool.function)) return 'custom';
  return Object.keys(tool).find((member) => !FREE_UNTYPED.test(member)) ?? 'custom';
}

function isSystemTool(tool: unknown): boolean {
  return isObject(tool) && isStated(tool.systemTool);
}

/** Gemini's pictures and sounds have prices of their own. */
function makesMedia(config: unknown): boolean {
  if (!isObject(config)) return false;
  const modalities = config.responseModalities ?? config.response_modalities;
  return Array.isArray(modalities) && modalities.some((modality) => String(modality).toLowerCase() !== 'text');
}

/** OpenAI's list and Anthropic's object have the same members. */
function compacts(management: unknown): boolean {
  const { edits = management } = isObject(management) ? management : {};
  return !Array.isArray(edits) || edits.some((edit) => !isObject(edit) || String(edit.type).startsWith('compact'));
}
