import { isObject, isStated, type JsonObject } from '../json-object.js';

/** What a body asks for that may cost more than tokens. */
export interface BilledWork {
  /** The service tier that the call asks for. Absent: none, so the provider may choose. */
  readonly tier?: string;
  /**
   * How often the provider may use each of its tools: `{ web_search: 5 }`; Infinity if the body does not say. Absent: it runs none.
   */
  readonly toolUses?: Readonly<Record<string, number>>;
  /** Whether the answer may have sound or images. It has in the dialects of images and of speech. */
  readonly media?: true;
  /** Whether the provider answers at once, and works in the background: the usage comes with another request. */
  readonly background?: true;
}

/** Tools that the caller runs. Dates may follow: `text_editor_20250728`. */
const CALLERS_OWN: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'namespace',
  'computer',
  'computer_use',
  'computer_use_preview',
  'bash',
  'shell',
  'local_shell',
  'text_editor',
  'apply_patch',
  'memory',
  'functionDeclarations',
  'computerUse',
]);

/** Tools that the provider runs, and bills by their tokens alone. */
export const BILLED_BY_TOKENS: ReadonlySet<string> = new Set(['mcp', 'web_fetch', 'codeExecution', 'urlContext']);

/** Returns what a body asks for beside tokens. */
export function billedWork(body: JsonObject): BilledWork {
  const tier = tierOf(body);
  const toolUses = new Map<string, number>();
  // A tool may stand there twice.
  for (const { kind, most } of providerTools(body)) toolUses.set(kind, (toolUses.get(kind) ?? 0) + most);
  return {
    ...(tier !== undefined && { tier }),
    ...(toolUses.size > 0 && { toolUses: Object.fromEntries(toolUses) }),
    ...(hasMedia(body) && { media: true }),
    ...(body.background === true && { background: true }),
  };
}

/** Bedrock's Converse has an object for it. */
function tierOf({ service_tier: stated, serviceTier }: JsonObject): string | undefined {
  const tier = stated ?? (isObject(serviceTier) ? serviceTier.type : serviceTier);
  return typeof tier === 'string' ? tier : undefined;
}

/** Whether the answer may have sound or images: OpenAI's body says it, and Gemini's configuration. */
export function hasMedia({ modalities, generationConfig, generation_config: snake }: JsonObject): boolean {
  const ofGemini = [generationConfig, snake]
    .filter(isObject)
    .flatMap((config) => [config.responseModalities, config.response_modalities]);
  return [modalities, ...ofGemini].flatMap(elementsOf).some((one) => String(one).toLowerCase() !== 'text');
}

/** The elements of a list. Google's servers also take a single element without its list. */
function elementsOf(list: unknown): readonly unknown[] {
  if (!isStated(list)) return [];
  return Array.isArray(list) ? list : [list];
}

/** A tool that the provider runs. */
interface ProviderTool {
  /** Its type without a date. */
  readonly kind: string;
  /** How often it is used at most; Infinity if the body does not say. */
  readonly most: number;
  /** Where the kind stands in the body, and where the number of uses would. */
  readonly field: string;
  readonly mostField: string;
}

/** Returns the tools of a body that the provider runs. */
export function providerTools({
  tools,
  max_tool_calls: total,
  web_search_options: search,
}: JsonObject): readonly ProviderTool[] {
  const listed = elementsOf(tools).flatMap((tool, i): ProviderTool[] => {
    const kind = kindOf(tool);
    if (kind === undefined || CALLERS_OWN.has(kind) || kind.startsWith('tool_search')) return [];
    const isCounted = isObject(tool) && 'max_uses' in tool;
    const most = wholeOr(isCounted ? tool.max_uses : total);
    // Anthropic's tools have a date, and a number of their own.
    const mostField = kind === typeOf(tool) ? 'max_tool_calls' : `tools[${i}].max_uses`;
    return [{ kind, most, field: `tools[${i}].type`, mostField }];
  });
  // A model that searches by itself does so once for a call.
  const own: ProviderTool[] = isStated(search)
    ? [{ kind: 'web_search', most: 1, field: 'web_search_options', mostField: 'web_search_options' }]
    : [];
  return [...listed, ...own];
}

function wholeOr(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : Number.POSITIVE_INFINITY;
}

/**
 * The kind of an element: its `type` without a date, as in `web_search_20250305`. Gemini's tools are named by their member, which may be
 * written in two ways. Undefined if it has none, as the caller's own tools.
 */
export function kindOf(element: unknown): string | undefined {
  const type = typeOf(element);
  if (type !== undefined) return type.replace(/_\d{8}$/, '');
  if (!isObject(element) || isStated(element.name) || isStated(element.function)) return undefined;
  const members = Object.keys(element).map((member) =>
    member.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
  return members.find((member) => !CALLERS_OWN.has(member) && !BILLED_BY_TOKENS.has(member)) ?? members[0];
}

function typeOf(element: unknown): string | undefined {
  const type = isObject(element) ? element.type : undefined;
  return isStated(type) ? String(type) : undefined;
}
