import { describe, expect, it } from '@jest/globals';
import { checkedRules, ruledChanges } from '../../src/call/body-rules.js';
import type { BodyRules } from '../../src/index.js';
import { costsOf, limited } from '../limited.js';

const changed = (rules: BodyRules, body: object) =>
  Object.fromEntries(ruledChanges(checkedRules(rules), body).map(({ path, value }) => [path.join('.'), value]));

const SEARCH = { type: 'web_search_20250305', name: 'web_search' };

describe('The rules for members of a body', () => {
  it.each<[rules: BodyRules, body: object, expected: object]>([
    [{ service_tier: { force: 'default' } }, {}, { service_tier: 'default' }],
    [{ service_tier: { force: 'default' } }, { service_tier: 'priority' }, { service_tier: 'default' }],
    [{ service_tier: { force: 'default' } }, { service_tier: 'default' }, {}],
    [{ n: { cap: 4 } }, { n: 9 }, { n: 4 }],
    [{ n: { cap: 4 } }, { n: 2 }, {}],
    [{ n: { cap: 4 } }, {}, {}],
    [
      { 'reasoning.effort': { force: 'low' } },
      { reasoning: { effort: 'high', summary: 'auto' } },
      { 'reasoning.effort': 'low' },
    ],
    [
      { 'tools[].max_uses': { cap: 3 } },
      { tools: [{ ...SEARCH, max_uses: 9 }, SEARCH] },
      { tools: [{ ...SEARCH, max_uses: 3 }, SEARCH] },
    ],
    [
      { 'tools[web_search].max_uses': { cap: 3 } },
      { tools: [{ name: 'f', input_schema: {} }, SEARCH] },
      {
        tools: [
          { name: 'f', input_schema: {} },
          { ...SEARCH, max_uses: 3 },
        ],
      },
    ],
    [{ 'tools[web_search].max_uses': { cap: 3 } }, { tools: 'none' }, {}],
  ])('%j change %j by %j', (rules, body, expected) => {
    expect(changed(rules, body)).toEqual(expected);
  });

  it.each<[rules: BodyRules, body: object, field: string]>([
    [{ background: 'forbid' }, { background: false }, 'background'],
    [{ service_tier: { forbid: ['flex'] } }, { service_tier: 'flex' }, 'service_tier'],
    [{ 'reasoning.effort': { forbid: ['high'] } }, { reasoning: { effort: 'high' } }, 'reasoning.effort'],
    [{ tools: { forbid: ['mcp'] } }, { tools: [{ type: 'function' }, { type: 'mcp' }] }, 'tools[1]'],
    [{ tools: { forbid: ['web_search'] } }, { tools: [SEARCH] }, 'tools[0]'],
    // One element of Google's may be several tools.
    [{ tools: { forbid: ['googleSearch'] } }, { tools: [{ codeExecution: {}, google_search: {} }] }, 'tools[0]'],
    // Some servers read a number out of text.
    [{ top_logprobs: { cap: 5 } }, { top_logprobs: '20' }, 'top_logprobs'],
    [{ 'tools[mcp].server_url': 'forbid' }, { tools: [{ type: 'mcp', server_url: 'x' }] }, 'tools[0].server_url'],
  ])('%j refuse %j, and name %s', async (rules, body, field) => {
    const { reserve, limiter, job } = limited({ plan: { rpm: 5 }, body: rules });
    await expect(reserve(body)).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL', field, status: 400 });
    expect((await limiter.peek(job())).tightest.used).toBe(0);
  });

  it.each<[rules: BodyRules, body: object]>([
    [{ background: 'allow' }, { background: true }],
    [{ service_tier: { allow: ['scale'] } }, { service_tier: 'scale' }],
    [{ service_tier: { force: 'default' } }, { service_tier: 'scale' }],
    [{ tools: { allow: ['file_search'] } }, { tools: [{ type: 'file_search' }, { type: 'function' }] }],
    [{ modalities: { allow: ['audio', 'text'] } }, { modalities: ['text', 'audio'] }],
    [{ background: { forbid: [true] } }, {}],
  ])('%j let %j pass', async (rules, body) => {
    expect(await limited({ plan: { rpm: 5 }, body: rules }).reserve(body)).toMatchObject({ allowed: true });
  });

  it('allow no element of which they name one tool and not the other', async () => {
    const { reserve } = limited({ plan: { rpm: 5 }, body: { tools: { allow: ['googleSearch'] } } });
    expect(await reserve({ tools: [{ googleSearch: {} }] })).toMatchObject({ allowed: true });
    const both = { tools: [{ googleSearch: {}, googleMaps: {} }] };
    await expect(reserve(both)).rejects.toMatchObject({ field: 'tools[0].type', received: 'googleMaps' });
  });

  it('allow only what they name', async () => {
    const { reserve } = limited({ plan: { rpm: 5 }, body: { tools: { allow: ['file_search'] } } });
    await expect(reserve({ tools: [{ type: 'file_search' }, { type: 'web_search' }] })).rejects.toMatchObject({
      field: 'tools[1].type',
    });
  });

  it('decide what a call holds, and what whoever sends it gets', async () => {
    const text =
      '{ "model": "gpt-5.6", "messages": [{"role":"user","content":"hello"}], "max_tokens": 10, "n": 9, "seed": 1.0 }';
    const { llm, limiter } = limited({
      plan: { otpm: 1e6 },
      body: { n: { cap: 2 }, service_tier: { force: 'default' } },
    });
    const subject = { user: 'ann', body: text };
    const reservation = await limiter.reserve(subject);
    await llm.policy.extraHeaders(subject, reservation);
    expect(costsOf(reservation)).toEqual({ otpm: 20 });
    const call = llm.callOf(subject);
    expect(call?.body).toMatchObject({ n: 2, service_tier: 'default' });
    expect(call?.text).toContain('"n": 2, "seed": 1.0');
    expect(JSON.parse(call?.text ?? '')).toEqual(call?.body);
  });

  it.each<[rules: unknown, path: string, message: RegExp]>([
    [[], 'body', /an object of rules/],
    [{ 'a b': 'allow' }, 'body["a b"]', /must name a member/],
    [{ 'tools[]': 'allow' }, 'body["tools[]"]', /must name a member/],
    [{ n: 'deny' }, 'body.n', /"allow", "forbid"/],
    [{ n: {} }, 'body.n', /"allow", "forbid"/],
    [{ n: { cap: 4, force: 5 } }, 'body.n', /"allow", "forbid"/],
    [{ n: { max: 4 } }, 'body.n.max', /is not an option/],
    [{ n: { cap: -1 } }, 'body.n.cap', /whole number/],
    [{ n: { force: {} } }, 'body.n.force', /text, a number or a boolean/],
    [{ tools: { allow: 'web_search' } }, 'body.tools.allow', /must be a list/],
    [{ model: { force: 'small' } }, 'body.model', /must not be changed/],
  ])('are refused at construction: %j', (rules, path, message) => {
    const make = () => limited({ plan: {}, body: rules as BodyRules });
    expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
    expect(make).toThrow(message);
  });
});
