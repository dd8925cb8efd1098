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

/**
 * Returns what a body asks for beside tokens.
 *
 * @param mediaUnasked - whether the answer may have sound or images if the body says nothing of it
 */
export function billedWork(body: JsonObject, mediaUnasked: boolean): BilledWork {
  const tier = tierOf(body);
  const toolUses = new Map<string, number>();
  // A tool may stand there twice.
  for (const { kind, most } of providerTools(body)) toolUses.set(kind, (toolUses.get(kind) ?? 0) + most);
  return {
    ...(tier !== undefined && { tier }),
    ...(toolUses.size > 0 && { toolUses: Object.fromEntries(toolUses) }),
    ...(hasMedia(body, mediaUnasked) && { media: true }),
    ...(body.background === true && { background: true }),
  };
}

/**
 * Bedrock's Converse has an object for it, and Google reads two spellings. Of two that differ nobody knows which one a server reads, so
 * that it counts as a call that leaves it to the provider.
 */
function tierOf({ service_tier: stated, serviceTier }: JsonObject): string | undefined {
  const other = isObject(serviceTier) ? serviceTier.type : serviceTier;
  const tiers = [stated, other].filter((tier) => typeof tier === 'string');
  return tiers.every((tier) => tier === tiers[0]) ? tiers[0] : undefined;
}

/** Whether the answer may have sound or images: OpenAI's body says it, and Gemini's configuration. */
export function hasMedia(
  { modalities, generationConfig, generation_config: snake }: JsonObject,
  unasked = false,
): boolean {
  const ofGemini = [generationConfig, snake]
    .filter(isObject)
    .flatMap((config) => [config.responseModalities, config.response_modalities]);
  const stated = [modalities, ...ofGemini].flatMap(elementsOf);
  return stated.length === 0 ? unasked : stated.some((one) => typeof one !== 'string' || one.toLowerCase() !== 'text');
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
    const isCounted = isObject(tool) && 'max_uses' in tool;
    const most = usesOr(isCounted ? tool.max_uses : total);
    return kindsOf(tool)
      .filter((kind) => !isCallersOwn(kind, tool))
      .map((kind) => {
        // Anthropic's tools have a date, and a number of their own.
        const mostField = kind === typeOf(tool) ? 'max_tool_calls' : `tools[${i}].max_uses`;
        return { kind, most, field: `tools[${i}].type`, mostField };
      });
  });
  // A model that searches by itself does so once for a call.
  const own: ProviderTool[] = isStated(search)
    ? [{ kind: 'web_search', most: 1, field: 'web_search_options', mostField: 'web_search_options' }]
    : [];
  return [...listed, ...own];
}

/** OpenAI has one name for a shell of the caller and for one in a container of its own, which it bills. */
function isCallersOwn(kind: string, tool: unknown): boolean {
  const environment = isObject(tool) ? tool.environment : undefined;
  const isElsewhere = isStated(environment) && !(isObject(environment) && environment.type === 'local');
  return (CALLERS_OWN.has(kind) && !(kind === 'shell' && isElsewhere)) || kind.startsWith('tool_search');
}

/** No tool is used more often in one call, and sums of it are still counted exactly. */
const MOST_USES = 1_000_000_000;

function usesOr(value: unknown): number {
  const isWhole = Number.isSafeInteger(value) && (value as number) >= 0;
  return isWhole ? Math.min(value as number, MOST_USES) : Number.POSITIVE_INFINITY;
}

/**
 * The kinds of an element: its `type` without a date, as in `web_search_20250305`. Gemini's tools are named by their members, which may be
 * written in two ways, and one element may be several tools. None if it has no kind, as the caller's own tools.
 */
export function kindsOf(element: unknown): readonly string[] {
  const type = typeOf(element);
  if (type !== undefined) return [type.replace(/_\d{8}$/, '')];
  if (!isObject(element) || isStated(element.name) || isStated(element.function)) return [];
  return Object.keys(element).map((member) => member.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}

/** A type that is no text has the name of what it is. An object can be so made that nothing makes text of it. */
function typeOf(element: unknown): string | undefined {
  const type = isObject(element) ? element.type : undefined;
  if (!isStated(type)) return undefined;
  return typeof type === 'string' ? type : typeof type;
}
