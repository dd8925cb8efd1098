import { describe, expect, it } from '@jest/globals';
import { checkPriced } from '../../src/call/priced-members.js';
import { limited, type PRICES } from '../limited.js';

describe('A call whose tokens alone do not say what it costs', () => {
  it.each<[field: string, member: object]>([
    ['service_tier', { service_tier: 'priority' }],
    ['service_tier', { service_tier: 'scale' }],
    ['service_tier', { service_tier: ['default'] }],
    ['speed', { speed: 'fast' }],
    ['inference_geo', { inference_geo: 'us' }],
    ['models', { models: ['gpt-5.6', 'gpt-5.6-mini'] }],
    ['background', { background: true }],
    ['background', { background: 'true' }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['modalities', { modalities: 'audio' }],
    ['web_search_options', { web_search_options: {} }],
    ['plugins', { plugins: [{ id: 'web' }] }],
    ['context_management', { context_management: { edits: [{ type: 'compact_20260112' }] } }],
    ['context_management', { context_management: [{ type: 'compaction', compact_threshold: 1000 }] }],
    ['tools[1].type', { tools: [{ type: 'function', function: { name: 'f' } }, { type: 'web_search' }] }],
    ['tools[0].type', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['tools[0].type', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
    ['tools[0].type', { tools: [{ type: 'image_generation' }] }],
    ['tools[0].type', { tools: [{ type: 'code_execution_20250825' }] }],
    ['tools[0].type', { tools: [{ type: 'a tool of tomorrow' }] }],
    ['tools[0].type', { tools: [{ type: 5 }] }],
    // Google's servers take one element for a list of it.
    ['tools[0].type', { tools: { googleSearch: {} } }],
    ['tools[0].type', { tools: [{ type: 'constructor' }] }],
    ['tools[0].type', { tools: [{ type: '__proto__' }] }],
    ['tools[0].type', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }],
    // One element may be several tools.
    ['tools[0].type', { tools: [{ codeExecution: {}, googleMaps: {} }] }],
    // Nothing makes text of such an object.
    ['tools[0].type', { tools: [{ type: { toString: 1 } }] }],
    ['modalities', { modalities: [{ toString: 1 }] }],
    ['context_management', { context_management: { edits: [{ type: { toString: 1 } }] } }],
    ['generationConfig', { generationConfig: { responseModalities: 'IMAGE' }, generation_config: {} }],
  ])('is refused, and %s is named: %j', async (field, member) => {
    const { reserve, limiter, job } = limited({ plan: { rpm: 1 } });
    await expect(reserve(member)).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL', field, status: 400 });
    expect((await limiter.peek(job())).tightest.used).toBe(0);
  });

  it.each<object>([
    {},
    { service_tier: 'auto' },
    { service_tier: 'flex' },
    { service_tier: null },
    { background: false },
    { modalities: ['text'] },
    { plugins: [] },
    { tools: [] },
    { tools: [{ name: 'f', input_schema: {} }] },
    { tools: [{ type: 'custom', name: 'f' }] },
    { tools: [{ type: 'shell' }, { type: 'shell', environment: { type: 'local' } }] },
    { tools: [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }] },
    { tools: [{ type: 'mcp', server_label: 'a' }] },
    { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
  ])('is another one than %j', (member) => {
    expect(() => checkPriced({ model: 'm', ...member })).not.toThrow();
  });

  it('passes if the operator allows it, and if nothing has a price', async () => {
    const member = { background: true };
    const allowing = limited({ plan: { rpm: 5 }, body: { background: 'allow' } });
    expect(await allowing.reserve(member)).toMatchObject({ allowed: true });
    const free = limited({ plan: { rpm: 5 }, prices: undefined as unknown as typeof PRICES });
    expect(await free.reserve(member)).toMatchObject({ allowed: true });
  });
});
