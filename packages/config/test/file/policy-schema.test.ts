import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { mistakeText, readPolicyFile } from '@sluice/config';
import { Ajv } from 'ajv';
import { parseDocument } from 'yaml';
import { jsonSchema } from '../../schema/json-schema.js';
import { BROKEN_FILES } from './broken-files.js';

const PACKAGE = join(__dirname, '../..');
const SCHEMA = JSON.parse(readFileSync(join(PACKAGE, 'policy.schema.json'), 'utf8'));
const PAGE = readFileSync(join(PACKAGE, 'docs/policy-file.md'), 'utf8');
const EXAMPLES = readdirSync(join(PACKAGE, 'examples'));

const isValid = new Ajv({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  strictTuples: false,
}).compile(SCHEMA);

/** What an editor makes of a text; undefined if it is no document. */
function documentOf(text: string): { value: unknown } | undefined {
  const document = parseDocument(text, { uniqueKeys: true });
  return document.errors.length > 0 ? undefined : { value: document.toJS() };
}

describe('the schema for editors', () => {
  it('is what the structure of files says: npm run schema -w @sluice/config', () => {
    expect(SCHEMA).toEqual(jsonSchema());
  });

  it.each(EXAMPLES)('accepts the example %s, which is read without a mistake', (name) => {
    const text = readFileSync(join(PACKAGE, 'examples', name), 'utf8');
    expect([isValid(documentOf(text)?.value), isValid.errors]).toEqual([true, null]);
    expect(readPolicyFile(text).mistakes?.map(mistakeText)).toBeUndefined();
    expect(readPolicyFile(JSON.stringify(documentOf(text)?.value)).file).toEqual(readPolicyFile(text).file);
  });

  it.each(BROKEN_FILES.filter(({ schemaSees }) => schemaSees))('refuses $title', ({ text }) => {
    const document = documentOf(text);
    expect(document && isValid(document.value)).toBe(false);
  });

  it('accepts broken files whose words are right by themselves', () => {
    const wrong = BROKEN_FILES.filter(({ schemaSees }) => !schemaSees).filter(({ text }) => {
      const document = documentOf(text);
      return document !== undefined && !isValid(document.value);
    });
    expect(wrong.map(({ title }) => title)).toEqual([]);
  });

  it('has a description for every word, and the page of the file has every word', () => {
    const words = new Set(
      [...JSON.stringify(SCHEMA).matchAll(/"(\w+)":\{"description"/g)].map(([, word]) => word as string),
    );
    expect(words.size).toBeGreaterThan(60);
    expect([...words].filter((word) => !PAGE.includes(`\`${word}\``))).toEqual([]);
  });
});
