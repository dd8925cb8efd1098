import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import * as v from 'valibot';
import {
  correctionAnswer,
  decisionAnswer,
  failedDecision,
  problemDocument,
  verdictAnswer,
} from '../decisions/decision-answer.js';
import { cancelRequest, decisionRequest, settleRequest } from '../decisions/decision-request.js';
import { JsonRateLimitRequest } from '../descriptors/json-schema.js';

/** The answer of `POST /json`, in protobuf's JSON form. */
const jsonRateLimitResponse = v.looseObject({
  overallCode: v.picklist(['OK', 'OVER_LIMIT']),
  statuses: v.array(
    v.looseObject({ code: v.exactOptional(v.string()), durationUntilReset: v.exactOptional(v.string()) }),
  ),
  rawBody: v.exactOptional(v.pipe(v.string(), v.description('The body for the client, in Base64.'))),
});

/** The schemas of the description, by the names that it has for them. Those of requests are what checks them. */
const SCHEMAS = {
  DecisionRequest: decisionRequest,
  Decision: decisionAnswer,
  FailedDecision: failedDecision,
  Verdict: verdictAnswer,
  SettleRequest: settleRequest,
  CancelRequest: cancelRequest,
  Correction: correctionAnswer,
  Problem: problemDocument,
  JsonRateLimitRequest,
  JsonRateLimitResponse: jsonRateLimitResponse,
} satisfies Readonly<Record<string, GenericSchema>>;

/** The name of a schema of the description. */
export type SchemaName = keyof typeof SCHEMAS;

const PREFIX = '#/components/schemas/';

/** Refers to a schema. */
export function schemaRef(name: SchemaName): { readonly $ref: string } {
  return { $ref: `${PREFIX}${name}` };
}

const CONVERSION: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  // Rules that JSON Schema cannot say stand in the descriptions.
  ignoreActions: ['check', 'finite'],
  overrideRef: ({ referenceId }) => `${PREFIX}${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    valibotSchema.type === 'object_with_rest' ? { ...jsonSchema, additionalProperties: false } : undefined,
};

/** Returns all schemas as JSON Schema, in the dialect of OpenAPI 3.1. */
export function jsonSchemas(): Readonly<Record<string, unknown>> {
  return toJsonSchemaDefs(SCHEMAS, CONVERSION);
}

/** Returns a schema that has no name in the description. */
export function jsonSchemaOf(schema: GenericSchema): Readonly<Record<string, unknown>> {
  // A value may be brought to another form afterwards: callers need not know that.
  const { $schema: _, ...own } = toJsonSchema(schema, { ...CONVERSION, errorMode: 'ignore' });
  return own;
}
