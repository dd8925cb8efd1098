import { describe, expect, it } from '@jest/globals';
import { LONGEST_RUN, MOST_COUNTED } from '../../src/call/tokens/counter.js';
import { readCall } from '../../src/index.js';
import { USUAL } from './samples.js';

const sizeOf = (content: unknown, fields: object = {}) =>
  readCall({ model: 'm', messages: [{ role: 'user', content }], ...fields });
const inputOf = (content: unknown, fields: object = {}) => sizeOf(content, fields).input;

/** 1 MB of an image as base64. */
const IMAGE = 'A'.repeat(1_400_000);

describe('the size of a prompt', () => {
  it('is the text, and a little for each message', () => {
    const text = USUAL.english?.text ?? '';
    const tokens = USUAL.english?.o200k_base ?? 0;
    const call = readCall({
      model: 'm',
      messages: Array.from({ length: 10 }, () => ({ role: 'user', content: text })),
    });
    expect(call.input).toBeGreaterThan(10 * tokens);
    expect(call.input).toBeLessThan(10 * tokens * 1.1);
    expect(inputOf('Hi')).toBeLessThan(12);
  });

  it.each<[string, object, object]>([
    ['system text', { system: 'Answer briefly and in French.' }, {}],
    ['parts of a system text', { system: [{ type: 'text', text: 'Answer briefly and in French.' }] }, {}],
    ['a schema', { response_format: { type: 'json_schema', json_schema: { name: 'f', schema: { a: 'b' } } } }, {}],
    ['a field that no dialect knows', { documents: ['Answer briefly and in French.'] }, {}],
    [
      'the name of a property of a tool',
      { tools: [{ name: 'f', input_schema: { averyunusualname: {} } }] },
      { tools: [{ name: 'f', input_schema: {} }] },
    ],
  ])('has %s', (_, more, less) => {
    expect(inputOf('Hi', more)).toBeGreaterThan(inputOf('Hi', less) + 4);
  });

  it('has no settings', () => {
    const settings = {
      temperature: 0.5,
      metadata: { a: 'x'.repeat(500) },
      user: 'ann',
      stop: ['x'],
      tool_choice: 'auto',
    };
    expect(inputOf('Hi', settings)).toBe(inputOf('Hi'));
  });

  it('is at most its ceiling, which is at least as large as its text in bytes', () => {
    for (const { text, o200k_base: tokens } of Object.values(USUAL)) {
      const { input, inputCeiling } = sizeOf(text);
      expect(inputCeiling).toBeGreaterThanOrEqual(Buffer.byteLength(text));
      expect(inputCeiling).toBeGreaterThan(tokens);
      expect(inputCeiling).toBeGreaterThanOrEqual(input);
      expect(inputCeiling).toBeLessThan(Buffer.byteLength(JSON.stringify(text)) + 100);
    }
  });

  it('has room for what a model may see as JSON', () => {
    const { inputCeiling } = sizeOf('Hi', { tools: [{ name: 'f', description: '\u0001'.repeat(1000) }] });
    expect(inputCeiling).toBeGreaterThan(6000);
  });

  it('counts a list of tokens by its length', () => {
    const { input, inputCeiling } = readCall({ model: 'm', prompt: Array.from({ length: 1000 }, () => 123_456) });
    expect(input).toBeGreaterThanOrEqual(1000);
    expect(input).toBeLessThan(1010);
    expect(inputCeiling).toBeLessThan(2100);
  });

  const NAMED = { previous_response_id: 'id_1', conversation: 'id_1', prompt: { id: 'id_1' } };
  it.each(Object.entries(NAMED))(
    'counts what %s names as unseen: 10,000 tokens, and a million at most',
    (field, name) => {
      const [plain, named] = [{}, { [field]: name }].map((more) => readCall({ model: 'm', input: 'Hi', ...more }));
      expect(named).toMatchObject({ unseen: true });
      expect(named?.input).toBeGreaterThanOrEqual(10_000 + (plain?.input ?? 0));
      expect(named?.inputCeiling).toBeGreaterThanOrEqual(1_000_000);
      expect(plain).not.toHaveProperty('unseen');
    },
  );

  it('counts what the body only names as the application says', () => {
    const file = { role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] };
    const body = { model: 'm', input: [file], previous_response_id: 'id_1' };
    const [none, some] = [0, 2000].map((unseen) => readCall(body, { unseen }));
    expect((some?.input ?? 0) - (none?.input ?? 0)).toBe(4000);
    expect((some?.inputCeiling ?? 0) - (none?.inputCeiling ?? 0)).toBe(4000);
    expect(() => readCall(body, { unseen: -1 })).toThrow('unseen');
  });
});

describe('media', () => {
  it.each<[string, unknown]>([
    ['OpenAI chat', [{ type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` } }]],
    ['OpenAI chat, as text', [{ type: 'image_url', image_url: `data:image/png;base64,${IMAGE}` }]],
    ['OpenAI responses', [{ type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${IMAGE}` }]],
    ['Anthropic', [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE } }]],
    [
      'the result of a tool',
      [
        {
          type: 'tool_result',
          tool_use_id: 'x',
          content: [{ type: 'image', source: { type: 'base64', data: IMAGE } }],
        },
      ],
    ],
    [
      'a screenshot',
      [{ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: `data:,${IMAGE}` } }],
    ],
    ['an image that was made', [{ type: 'image_generation_call', result: IMAGE }]],
  ])('count 1 MB of an image as one image: %s', (_, content) => {
    const { input, inputCeiling } = sizeOf(content);
    expect(input).toBeGreaterThan(1600);
    expect(input).toBeLessThan(1650);
    expect(inputCeiling).toBeGreaterThan(16_384);
    expect(inputCeiling).toBeLessThan(17_000);
  });

  it.each([
    ['low', 85],
    ['high', 1600],
    ['original', 10_000],
  ])('count an image by its detail: %s', (detail, tokens) => {
    const image = inputOf([{ type: 'image_url', image_url: { url: 'https://example.com/a.png', detail } }]);
    expect(Math.abs(image - tokens)).toBeLessThan(20);
  });

  it.each<[string, unknown, number, number]>([
    ['a PDF', { type: 'document', source: { type: 'base64', data: IMAGE } }, 60_000, 70_000],
    [
      'a small PDF',
      { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${'A'.repeat(1000)}` } },
      3000,
      3050,
    ],
    ['a file by its id', { type: 'input_file', file_id: 'file-1' }, 10_000, 10_050],
    ['sound', { type: 'input_audio', input_audio: { data: IMAGE, format: 'mp3' } }, 1000, 1200],
    ['text', { type: 'document', source: { type: 'text', data: 'word '.repeat(1000) } }, 1000, 1050],
    [
      'a document of parts',
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'word '.repeat(1000) }] } },
      1000,
      1050,
    ],
  ])('count %s', (_, part, least, most) => {
    const input = inputOf([part]);
    expect(input).toBeGreaterThanOrEqual(least);
    expect(input).toBeLessThan(most);
  });

  it.each<[string, object]>([
    ['a file by its id, beside empty data', { type: 'file', file: { file_id: 'file-1', file_data: '' } }],
    ['a file by its id, beside a text', { type: 'file', source: { type: 'text' }, file: { file_id: 'file-1' } }],
    ['a document by its address, beside empty data', { type: 'document', source: { url: 'https://a.b', data: '' } }],
    ['a file without a type', { file: { file_id: 'file-1' } }],
    ['a stored item', { type: 'item_reference', id: 'msg_1' }],
    ['a stored item without a type', { id: 'msg_1' }],
    ['a stored item whose type is null', { type: null, id: 'msg_1' }],
    ['a file of Google beside a type that Google does not know', { type: 'text', fileData: { fileUri: 'gs://a' } }],
    [
      'a document of Bedrock beside such a type',
      { type: 'x', document: { source: { s3Location: { uri: 's3://a' } } } },
    ],
    ['a film without a type', { video_url: { url: 'https://a.b/film' } }],
  ])('have a ceiling of a million if the body only names them: %s', (_, part) => {
    expect(sizeOf([part]).inputCeiling).toBeGreaterThanOrEqual(1_000_000);
  });

  it('are images without a type, too', () => {
    const image = { image_url: { url: `data:image/png;base64,${IMAGE}` } };
    expect(inputOf([image])).toBe(inputOf([{ type: 'image_url', ...image }]));
    expect(sizeOf([image]).inputCeiling).toBeGreaterThan(16_384);
  });

  it.each<[string, unknown]>([
    ['a text part that looks like an image', { type: 'text', text: `data:image/png;base64,${'word '.repeat(10_000)}` }],
    ['text beside the image in its part', { type: 'image_url', image_url: { url: 'x', hint: 'word '.repeat(10_000) } }],
    ['text in the part of an image', { type: 'image', content: 'word '.repeat(10_000) }],
    ['a long label', { type: 'word '.repeat(10_000) }],
    ['data in no part', { data: 'word '.repeat(10_000) }],
    [
      'data of a tool that looks like an image',
      { type: 'tool_use', input: { type: 'image', data: 'word '.repeat(10_000) } },
    ],
    [
      'ids in data',
      { type: 'tool_use', input: { list: Array.from({ length: 2000 }, () => ({ id: 'usr_00fb86738b42' })) } },
    ],
    [
      'types in data',
      { type: 'tool_use', input: { list: Array.from({ length: 5000 }, () => ({ type: 'some words' })) } },
    ],
    ['data deeper in the part', { type: 'image', extra: { data: 'word '.repeat(10_000) } }],
  ])('hide no text: %s', (_, part) => {
    expect(inputOf([part])).toBeGreaterThanOrEqual(10_000);
  });
});

describe('an exact counter', () => {
  const count = (text: string) => text.length;

  it('counts the texts of a call for its model', () => {
    const seen: string[] = [];
    const body = { model: 'gpt-5.6', messages: [{ role: 'user', content: 'Hello world' }] };
    const exact = readCall(body, {
      count: (text, model) => {
        seen.push(`${model}: ${text}`);
        return 500;
      },
    });
    expect(seen).toEqual(['gpt-5.6: Hello world']);
    expect(exact.input).toBe(readCall(body).input - 2 + 500);
  });

  it.each(['a'.repeat(20_000), ' '.repeat(20_000), '='.repeat(20_000), '漢'.repeat(20_000), 'e\u0301'.repeat(10_000)])(
    'is never given a long run',
    (run) => {
      const given: string[] = [];
      const text = `before the run ${run} after the run, ${run}`;
      readCall(
        { model: 'm', messages: [{ role: 'user', content: text }] },
        {
          count: (part) => {
            given.push(part);
            return 0;
          },
        },
      );
      expect(given.join('|')).toContain('before the run');
      expect(given.join('|')).toContain('after the run');
      for (const part of given) {
        for (const [found] of part.matchAll(/[\p{L}\p{M}\p{N}]+|\s+|[^\p{L}\p{M}\p{N}\s]+/gu)) {
          expect(found.length).toBeLessThanOrEqual(LONGEST_RUN);
        }
      }
    },
  );

  it('is given at most its share of a call, and the rest is estimated', () => {
    let given = 0;
    const call = readCall(
      {
        model: 'm',
        messages: Array.from({ length: 100 }, () => ({ role: 'user', content: 'some words '.repeat(1000) })),
      },
      {
        count: (part) => {
          given += part.length;
          return 0;
        },
      },
    );
    expect(given).toBe(MOST_COUNTED);
    expect(call.input).toBeGreaterThan(190_000);
  });

  it('is given ordinary text whole', () => {
    for (const name of ['english', 'korean', 'japanese', 'code', 'json', 'emoji']) {
      const text = USUAL[name]?.text ?? '';
      const body = { model: 'm', messages: [{ role: 'user', content: text }] };
      expect(readCall(body, { count }).input - readCall(body, { count: () => 0 }).input).toBe(text.length);
    }
  });

  it.each([Number.NaN, -1, 1.5, '5', undefined])('has to return a whole number, not %p', (wrong) => {
    expect(() => sizeOf('Hi')).not.toThrow();
    expect(() => readCall({ model: 'm', input: 'Hi' }, { count: () => wrong as number })).toThrow(
      'count() must return a whole number of at least 0',
    );
  });
});
