import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changedForm, isForm, readForm } from '../../src/request/form.js';

const fileOf = (file: Uint8Array) => ({ type: 'file', bytes: file.length });
const CRLF = '\r\n';
const part = (headers: string, value: string): string => `--b${CRLF}${headers}${CRLF}${CRLF}${value}${CRLF}`;
const field = (name: string, value: string): string => part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (name: string, value: string): string =>
  part(`Content-Disposition: form-data; name="${name}"; filename="a.png"${CRLF}Content-Type: image/png`, value);
const END = `--b--${CRLF}`;
const read = (text: string, type?: string) => readForm(Buffer.from(text), type, fileOf);

/** Texts that are too long for a table. */
const LONG: Readonly<Record<string, string>> = {
  many: field('a[]', '1').repeat(200) + END,
  long: field('prompt', 'x'.repeat(1_100_000)) + END,
};

describe('A form', () => {
  it('is read as the fields of a JSON body, and its files by their bytes', () => {
    const { body } = read(
      [
        field('model', 'm'),
        field('n', '2'),
        field('stream', 'true'),
        field('prompt', 'Æ "n": 5'),
        file('image[]', 'abc'),
        file('image[]', ''),
        END,
      ].join(''),
      'multipart/form-data; boundary=b',
    );
    expect(body).toEqual({
      model: 'm',
      n: 2,
      stream: true,
      prompt: 'Æ "n": 5',
      'image[]': [fileOf(Buffer.from('abc')), fileOf(Buffer.from(''))],
    });
  });

  it.each<[why: string, text: string, type?: string]>([
    ['has another boundary than its content-type', field('a', '1') + END, 'multipart/form-data; boundary=c'],
    ['has a content-type with two boundaries', field('a', '1') + END, 'multipart/form-data; boundary=b; boundary=c'],
    ['states a field twice', field('model', 'a') + field('model', 'b') + END],
    ['has two names in a part', part('Content-Disposition: form-data; name="a"; name="model"', '1') + END],
    [
      'has two dispositions in a part',
      part(`Content-Disposition: form-data; name="a"${CRLF}Content-Disposition: form-data; name="b"`, '1') + END,
    ],
    ['has a part without a name', part('Content-Disposition: form-data', '1') + END],
    [
      'encodes a part',
      part(`Content-Disposition: form-data; name="a"${CRLF}Content-Transfer-Encoding: base64`, '1') + END,
    ],
    ['folds a header', part(`Content-Disposition: form-data;${CRLF} name="a"`, '1') + END],
    ['has no end', field('a', '1')],
    ['has a part without headers', `--b${CRLF}a`],
    ['has something behind a boundary', `${field('a', '1').slice(0, -2)}${CRLF}--bx${CRLF}${END}`],
    ['has very many parts', `many`],
    ['has a very long field', `long`],
  ])('that %s is refused', (_why, text, ...[type]) => {
    expect(() => read(LONG[text] ?? text, type)).toThrow(
      expect.objectContaining({ code: 'SLUICE_LLM_CALL', status: 400 }),
    );
  });

  it('has other values where they are changed, and is the same to the byte elsewhere', async () => {
    const name = fc.constantFrom('model', 'n', 'quality', 'prompt', 'size');
    const value = fc.string({ unit: 'binary-ascii', maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(name, value), { selector: ([one]) => one }),
        fc.uint8Array({ maxLength: 200 }),
        fc.uniqueArray(fc.tuple(name, value), { selector: ([one]) => one, maxLength: 3 }),
        async (fields, bytes, changes) => {
          const form = new FormData();
          form.set('image', new Blob([bytes]), 'a.png');
          for (const [one, text] of fields) form.set(one, text);
          const sent = new Response(form);
          const type = sent.headers.get('content-type') as string;
          const given = new Uint8Array(await sent.arrayBuffer());
          expect(isForm(given)).toBe(true);
          const read = readForm(given, type, fileOf);
          const changed = changedForm(
            read,
            changes.map(([one, text]) => ({ path: [one], value: text })),
          );
          const got = await new Response(changed, { headers: { 'content-type': type } }).formData();
          // What a browser writes has its line ends as a form has them.
          const lines = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n');
          const expected = new Map([...fields.map(([one, text]) => [one, lines(text)] as const), ...changes]);
          const image = got.get('image') as File;
          expect(Buffer.from(await image.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
          for (const [one, text] of expected) expect(got.getAll(one)).toEqual([text]);
          if (changes.length === 0) expect(Buffer.from(changed).equals(Buffer.from(given))).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});
