import { describe, expect, it } from '@jest/globals';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import fc from 'fast-check';
import type { CallFormat } from '../../src/dialects/format.js';
import { addressOfRequest, isFreeRequest } from '../../src/fetch/request-kind.js';
import { chat, outgoing } from './outgoing.js';

const kindOfRequest = (input: string | URL, method: string, stated?: CallFormat) =>
  isFreeRequest(input, { method }) ? 'free' : (addressOfRequest(input, { method }, stated)?.format ?? 'unrecognized');

const kindOf = (method: string, path: string, origin = 'https://api.openai.com') =>
  kindOfRequest(`${origin}${path}`, method);

describe('a request', () => {
  it.each([
    ['POST', '/v1/chat/completions', 'openai-chat'],
    ['post', '/V1/Chat/Completions/', 'openai-chat'],
    ['POST', '//v1//chat//completions//', 'openai-chat'],
    ['POST', '/v1/models/../chat/./completions?a=/v1/models', 'openai-chat'],
    ['POST', '/v1/models/%2e%2e/chat/completion%73#/v1/models', 'openai-chat'],
    ['POST', '/openai/deployments/%ff/chat/completions', 'openai-chat'],
    ['POST', '\\v1\\messages', 'anthropic-messages'],
    ['POST', '/v1/images/generations', 'openai-images'],
    ['POST', '/v1/audio/speech', 'openai-speech'],
    ['GET', '/v1/models', 'free'],
    ['GET', '/v1/models/gpt-5.6', 'free'],
    ['HEAD', '/openai/v1/responses/resp_1/input_items', 'free'],
    ['DELETE', '/v1/files/file-1', 'free'],
    ['POST', '/v1/messages/count_tokens', 'free'],
    ['POST', '/v1/messages/batches/b_1/cancel', 'free'],
    ['POST', '/v1/chat%2Fcompletions', 'unrecognized'],
    ['POST', '/v1/message%2573', 'unrecognized'],
    ['POST', '/v1/chat/completions;a=1', 'unrecognized'],
    ['POST', '/v1/models', 'unrecognized'],
    ['PUT', '/v1/chat/completions', 'unrecognized'],
    ['GET', '/a%20poem', 'unrecognized'],
    ['GET', '/v1/models/..%2fask', 'unrecognized'],
    ['POST', '/v1/threads/runs', 'unrecognized'],
    ['POST', '/v1/threads/1/runs', 'unrecognized'],
    ['POST', '/v1/batches', 'unrecognized'],
    ['POST', '/', 'unrecognized'],
    ['QUERY', '/v1/models', 'unrecognized'],
  ])('%s %s is %s', (method, path, kind) => {
    expect(kindOf(method, path)).toBe(kind);
    expect(kindOfRequest(new URL(path, 'https://api.openai.com'), method)).toBe(kind);
  });

  it('of a stated dialect is a call wherever it is posted, and only then', () => {
    const kind = (method: string, path: string) =>
      kindOfRequest(`https://gateway.example${path}`, method, 'openai-chat');
    expect([kind('POST', '/ask'), kind('POST', '/v1/messages'), kind('GET', '/ask')]).toEqual([
      'openai-chat',
      'openai-chat',
      'unrecognized',
    ]);
    expect(kind('POST', '/v1/files')).toBe('free');
  });
});

/** What runs a model, or costs something else. */
const COSTLY = [
  'chat/completions',
  'completions',
  'responses',
  'responses/compact',
  'embeddings',
  'messages',
  'messages/batches',
  'batches',
  'images/generations',
  'audio/speech',
  'fine_tuning/jobs',
  'threads/runs',
  'threads/thread_1/runs',
];

const CHEAP = ['models', 'files', 'messages/count_tokens', 'threads/thread_1/messages', 'responses/resp_1/cancel'];

/** Writes a path as nobody expects it: servers, and what stands before them, undo some of this and not the rest. */
const disguised = (path: string): fc.Arbitrary<string> => {
  const letter = (char: string): fc.Arbitrary<string> => {
    const hex = char.charCodeAt(0).toString(16);
    const slashes = ['/', '//', '/./', '\\', '%2f', '%2F', '/%2e/', '/x/../', '/models/../', '/files/%2e%2e/'];
    if (char === '/') return fc.constantFrom(...slashes);
    return fc.constantFrom(char, char, char, char.toUpperCase(), `%${hex}`, `%25${hex}`, `%${hex.toUpperCase()}`);
  };
  return fc.tuple(...[...path].map(letter)).map((letters) => `/${letters.join('')}`);
};

const request = (paths: readonly string[]) =>
  fc.record({
    origin: fc.constantFrom(
      'https://api.openai.com',
      'http://127.0.0.1:1',
      'https://user@[::1]:8443',
      'HTTPS://API.EXAMPLE',
    ),
    before: fc.constantFrom('', '/v1', '/openai/v1', '/models', '/v1/models/..', '//files'),
    path: fc.constantFrom(...paths).chain(disguised),
    after: fc.constantFrom(
      '',
      '/',
      '//',
      '/.',
      '?',
      '?to=/v1/models',
      '#/v1/models',
      '/x/..',
      '/%2e',
      ';v=1',
      '%00',
      '%20',
    ),
    method: fc.constantFrom('POST', 'post', 'Post'),
  });

describe('a path that is written oddly', () => {
  it('never makes a request that costs something free', () => {
    fc.assert(
      fc.property(request(COSTLY), ({ origin, before, path, after, method }) => {
        expect(kindOf(method, `${before}${path}${after}`, origin)).not.toBe('free');
      }),
      { numRuns: 5000 },
    );
  });

  it('never gets past a limit: nothing is sent that is not counted', async () => {
    const clock = new QueueClock();
    const sent: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (input) => Response.json(sent.push(input));
    const outs = (['refuse', 'count'] as const).map((unrecognized) =>
      outgoing({ rpm: 0 }, clock, { maxWait: 0, fetch, unrecognized }),
    );
    const [, init] = chat('');
    await fc.assert(
      fc.asyncProperty(request(COSTLY), async ({ origin, before, path, after, method }) => {
        for (const out of outs)
          await out.fetch(`${origin}${before}${path}${after}`, { ...init, method }).catch(() => {});
        expect(sent).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('may make what costs nothing cost something, and not the other way round', () => {
    fc.assert(
      fc.property(request(CHEAP), ({ origin, before, path, after, method }) => {
        expect(['free', 'unrecognized', 'anthropic-messages', 'openai-responses']).toContain(
          kindOf(method, `${before}${path}${after}`, origin),
        );
      }),
    );
  });
});
