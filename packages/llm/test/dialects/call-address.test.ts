import { describe, expect, it } from '@jest/globals';
import { addressOf } from '../../src/request/call-address.js';

const formatByPath = (request: unknown) => addressOf(request)?.format;

describe('The dialect of a request', () => {
  it.each([
    ['/v1/chat/completions', 'openai-chat'],
    ['/openai/deployments/a/chat/completions?api-version=1', 'openai-chat'],
    ['/v1/completions', 'openai-completions'],
    ['/v1/responses/', 'openai-responses'],
    ['/v1/embeddings#a', 'openai-embeddings'],
    ['https://gateway.example/anthropic/v1/messages?beta=true', 'anthropic-messages'],
    ['/v1/images/generations', 'openai-images'],
    ['/openai/deployments/a/images/generations?api-version=1', 'openai-images'],
    ['/v1/images/edits', 'openai-images'],
    ['/v1/audio/speech', 'openai-speech'],
    ['/v1/audio/transcriptions/', 'openai-transcriptions'],
    ['/v1/batches', 'openai-batches'],
    ['/openai/batches?api-version=1', 'openai-batches'],
    ['/v1/messages/batches', 'anthropic-batches'],
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

  it.each([
    '/v1/images/variations',
    '/openai/deployments/a/images/variations?api-version=1',
    '/v1/audio/translations/',
    '/V1/Videos',
    '/model/a/async-invoke',
    '/v1/realtime?model=a',
    '/v1/realtime/sessions',
    '/openai/realtime?api-version=1&deployment=a',
    '/openai/v1/realtime',
  ])('is refused for %s, whose price nobody knows here', (url) => {
    const error = { code: 'SLUICE_LLM_CALL', field: 'url', status: 400 };
    expect(() => formatByPath({ url })).toThrow(expect.objectContaining(error));
  });

  it.each([
    ['/v1/audio/translations', 'a form whose answer states no usage'],
    ['/v1beta/models/a:batchGenerateContent', 'a batch of a kind that is not read here'],
    ['/v1/realtime/sessions', 'a session, which has no end'],
    ['/v1/videos', 'work whose price is not known here'],
  ])('is refused for %s, and the message says why: %s', (url, what) => {
    expect(() => formatByPath({ url })).toThrow(`url must be that of a call, and is that of ${what}, got "${url}"`);
  });

  it('comes with the model where the address names it', () => {
    expect(addressOf({ url: '/openai/deployments/My%2FGpt/chat/completions?api-version=1' })).toEqual({
      format: 'openai-chat',
      model: 'My/Gpt',
    });
    expect(addressOf({ url: '/v1/chat/completions' })).toEqual({ format: 'openai-chat' });
  });

  it('is that of the call where such a path ends in one', () => {
    expect(formatByPath({ url: '/v1/realtime/chat/completions' })).toBe('openai-chat');
    expect(formatByPath({ url: '/about/videos' })).toBeUndefined();
  });

  it.each([undefined, null, 'ann', {}, { url: 5 }, { req: null }])('is not known for the subject %j', (subject) => {
    expect(formatByPath(subject)).toBeUndefined();
  });
});
