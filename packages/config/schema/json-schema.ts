import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import * as parts from '../src/file/schema.js';
import * as limits from '../src/file/schema-limits.js';
import { duration, enforce, header, name, share, time } from '../src/file/schema-values.js';
import { CONSTRAINTS, SHARED_CONSTRAINTS } from './constraints.js';
import { DESCRIPTIONS } from './descriptions.js';

const { policyFile, ...others } = parts;
const { ALGORITHM_NAMES: _, limitWords: __, ...ofLimits } = limits;

/** A schema as an object; those for a word can also be true and false. */
type Schema = { -readonly [K in keyof JsonSchema]: JsonSchema[K] } & Record<string, unknown>;

/**
 * Makes the schema of policy files for editors: draft 7, which YAML editors read. The structure is that by which files are
 * checked.
 *
 * @throws Error if a word has no description, or a description no word
 */
export function jsonSchema(): unknown {
  const { $schema, $defs, ...root } = toJsonSchema(policyFile, {
    target: 'draft-07',
    typeMode: 'input',
    definitions: { ...others, ...ofLimits, duration, enforce, header, name, share, time },
  });
  const definitions = Object.fromEntries(
    Object.entries($defs ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, described(one as Schema, name)]),
  );
  const undescribed = Object.keys(DESCRIPTIONS).filter((name) => name !== 'policyFile' && !(name in definitions));
  if (undescribed.length > 0) throw new Error(`no part of the schema is called ${undescribed.join(', ')}`);
  const whole = {
    $schema,
    title: 'A policy file of Sluice',
    ...described(root as Schema, 'policyFile'),
    definitions: { ...definitions, ...SHARED_CONSTRAINTS },
  };
  return JSON.parse(JSON.stringify(whole).replaceAll('#/$defs/', '#/definitions/'));
}

/** Returns a part of the schema with the descriptions of its words and its further rules. */
function described(schema: Schema, name: string): Schema {
  const mapping = mappingOf(schema);
  if (mapping === undefined) return schema;
  const descriptions = DESCRIPTIONS[name] ?? {};
  const { properties: rules = {}, ...constraint } = (CONSTRAINTS[name] ?? {}) as Schema;
  const words = new Set([...Object.keys(mapping.properties ?? {}), ...Object.keys(descriptions)]);
  const properties = [...words].map((word) => {
    const own = mapping.properties?.[word];
    const description = descriptions[word];
    if (own === undefined) throw new Error(`${name} has no word ${word}`);
    if (description === undefined) throw new Error(`the word ${word} of ${name} needs a description`);
    return [
      word,
      word in (rules as object)
        ? both(own, (rules as Record<string, unknown>)[word], description)
        : withText(own, description),
    ];
  });
  Object.assign(mapping, { properties: Object.fromEntries(properties), ...constraint });
  if (mapping.required?.length === 0) delete mapping.required;
  return schema;
}

/** A reference must stand alone in draft 7, so that its description goes around it. */
const withText = (schema: unknown, description: string) => {
  const isReference = typeof schema === 'object' && schema !== null && '$ref' in schema;
  return isReference ? { description, allOf: [schema] } : { description, ...(schema as object) };
};

const both = (schema: unknown, rule: unknown, description: string) => ({ description, allOf: [schema, rule] });

/** Returns the form of a value that is a mapping of words. */
function mappingOf(schema: Schema): Schema | undefined {
  if (schema.properties !== undefined) return schema;
  return (schema.anyOf as Schema[] | undefined)?.find(({ properties }) => properties !== undefined);
}
