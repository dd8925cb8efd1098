import { describe, expect, it } from '@jest/globals';
import { formatByPath } from '../../src/request/format-by-path.js';

describe('The dialect of a request', () => {
  it.each([
    ['/v1/chat/completions', 'openai-chat'],
    ['/openai/deployments/a/chat/completions?api-version=1', 'openai-chat'],
    ['/v1/completions', 'openai-completions'],
    ['/v1/responses/', 'openai-responses'],
    ['/v1/embeddings#a', 'openai-embeddings'],
    ['https://gateway.example/anthropic/v1/messages?beta=true', 'anthropic-messages'],
    ['/V1/Messages', 'anthropic-messages'],
    ['/v1/message%73', 'anthropic-messages'],
    ['/%ff/V1/messages', 'anthropic-messages'],
    ['/chat', undefined],
    ['/v1/messages/count_tokens', undefined],
    ['/?to=/v1/messages', undefined],
    ['', undefined],
  ])('of %s is %s', (url, format) => {
    expect(formatByPath({ url })).toBe(format);
    expect(formatByPath({ originalUrl: url, url: '/' })).toBe(format);
    expect(formatByPath({ req: { path: url } })).toBe(format);
  });

  it.each([undefined, null, 'ann', {}, { url: 5 }, { req: null }])('is not known for the subject %j', (subject) => {
    expect(formatByPath(subject)).toBeUndefined();
  });
});
