// Why it is so: core/docs/why/decision-service.md

import type { TopRefused } from '@sluice/metrics';
import type * as v from 'valibot';
import type { Readiness } from '../readiness.js';
import type { Service } from '../service/service.js';
import type { AuditTrail } from './audit-trail.js';
import type { Access, AdminCaller } from './tokens.js';

/** The parts of the service that verbs use. */
export interface AdminParts {
  readonly service: Service;
  readonly readiness: Readiness;
  readonly audit: AuditTrail;
  /** The keys that this instance has refused most, as stores have them. */
  readonly top: TopRefused;
  /** Begins to end this instance. */
  readonly drain: () => Promise<void>;
}

/** One run of a verb: its input, its caller, and what it may use. */
export interface VerbRun<Input> {
  readonly input: Input;
  readonly caller: AdminCaller;
  readonly parts: AdminParts;
  /** Adds to the audit line of a verb that writes. Keys must be hashed. */
  note(facts: Readonly<Record<string, unknown>>): void;
  /** Runs a step when the answer is sent. */
  afterwards(step: () => void): void;
}

/** One thing that the administration does: `POST /v1/admin/{name}` with a JSON object. */
export interface AdminVerb<Schema extends v.GenericSchema = v.GenericSchema> {
  readonly name: string;
  /** One sentence for the description of the interface. */
  readonly summary: string;
  /** The right that the token needs. */
  readonly access: Access;
  /** Whether this input needs a write token, although the verb changes nothing. */
  readonly needsWrite?: (input: v.InferOutput<Schema>) => boolean;
  readonly schema: Schema;
  run(run: VerbRun<v.InferOutput<Schema>>): Promise<object> | object;
}

/** Makes a verb, whose schema says the type of its input. */
export function adminVerb<Schema extends v.GenericSchema>(verb: AdminVerb<Schema>): AdminVerb {
  // The input of a verb has gone through the schema of the same verb.
  return verb as unknown as AdminVerb;
}
