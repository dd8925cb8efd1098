// Why it is so: core/docs/why/budgets-of-models.md

import { isObject, isStated, type JsonObject } from '../json-object.js';
import { LlmCallError } from './call-error.js';

/** The ways to be served that cost what the model costs, or less. */
const USUAL_TIERS: readonly unknown[] = ['auto', 'default', 'standard_only', 'flex'];

/** Tools that the caller runs, or that cost nothing but their tokens. Dates may follow: `text_editor_20250728`. */
const FREE_TOOLS =
  /^(?:function|custom|namespace|computer(?:_use_preview)?|bash|shell|local_shell|text_editor|apply_patch|memory|mcp|tool_search\w*?|web_fetch)(?:_\d{8})?$/;

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

/** Anthropic's own tools have a type; those of the caller need none. */
function typeOf(tool: unknown): string {
  const type = isObject(tool) ? tool.type : undefined;
  return isStated(type) ? String(type) : 'custom';
}

/** OpenAI's list and Anthropic's object have the same members. */
function compacts(management: unknown): boolean {
  const { edits = management } = isObject(management) ? management : {};
  return !Array.isArray(edits) || edits.some((edit) => !isObject(edit) || String(edit.type).startsWith('compact'));
}
