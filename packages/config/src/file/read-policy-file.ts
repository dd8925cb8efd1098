// Why it is so: core/docs/why/policy-files.md

import { chosenKeys } from './chosen-keys.js';
import { customerBases } from './customer-bases.js';
import { readDocument } from './document.js';
import type { Mistake, MistakeCode } from './mistake.js';
import { byPlace, type MistakeList } from './mistake-list.js';
import type { PolicyCheck, PolicyObjection } from './policy-check.js';
import type { Enforcement, PolicyFile, PolicyRule } from './policy-file.js';
import { CustomerReader } from './read-customers.js';
import { readKeys } from './read-keys.js';
import { readPolicy } from './read-policy.js';
import { checkTiers, readTiers } from './read-tiers.js';
import type { FileInput } from './schema.js';
import { shortTimes } from './short-times.js';
import { CUSTOMERS_PER_SLICE, type SimpleCustomers } from './simple-customers.js';
import { type Sound, soundParts } from './structure.js';

/** A policy file, or everything that is wrong with it. */
export type ReadPolicyFile =
  | {
      /** The file, if it has no mistakes. */
      readonly file: PolicyFile;
      /**
       * What is allowed, and probably not meant, in the order of the text: policies that refuse nobody who invents keys, and windows that are
       * bare numbers below 1,000. Most files have none.
       */
      readonly warnings: readonly Mistake[];
      /** Absent if there is a file. */
      readonly mistakes?: never;
    }
  | {
      /** Absent if there are mistakes. */
      readonly file?: never;
      /** Absent if there are mistakes. */
      readonly warnings?: never;
      /** All mistakes, in the order of the text. */
      readonly mistakes: readonly [Mistake, ...Mistake[]];
    };

/** How a policy file is read. */
export interface ReadPolicyFileOptions {
  /** The name of the file, or where else the text came from, for mistakes. Default: `'policy file'`. */
  readonly origin?: string;
  /** Says what the program cannot do of the file. Default: it can do everything. */
  readonly check?: PolicyCheck;
}

/**
 * Reads and checks the text of a policy file, in YAML or JSON. It returns the file, or all of its mistakes, each with line,
 * column, and what to write instead. It throws nothing, whatever the text is.
 *
 * @example
 * const { file, mistakes } = readPolicyFile('version: 1\npolicies: { api: { limits: [{ limit: 100, window: 1m }] } }');
 * if (mistakes) for (const mistake of mistakes) console.error(mistakeText(mistake));
 */
export function readPolicyFile(text: string, options: ReadPolicyFileOptions = {}): ReadPolicyFile {
  const reading = read(text, options);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

/** How a policy file is read in slices. */
export interface ReadInSlicesOptions extends ReadPolicyFileOptions {
  /** Called after each slice of some milliseconds. Return a promise that lets others have a turn. */
  pause(): Promise<void>;
}

/**
 * Reads a policy file as `readPolicyFile` does, but lets requests be served meanwhile. Use it for files with very many customers.
 * Customers who have more than a tier are parsed in one step.
 */
export async function readPolicyFileInSlices(
  text: string,
  { pause, ...options }: ReadInSlicesOptions,
): Promise<ReadPolicyFile> {
  const reading = read(text, options);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
    await pause();
  }
}

/** Reads a policy file, and yields after each slice. */
function* read(
  text: string,
  { origin = 'policy file', check }: ReadPolicyFileOptions,
): Generator<void, ReadPolicyFile> {
  const { value, simple, mistakes } = yield* readDocument(text, origin);
  const input = value === undefined ? undefined : soundParts(value, mistakes);
  const file = input === undefined ? undefined : yield* readFile(input, simple, mistakes);
  if (file !== undefined && check !== undefined && mistakes.sorted() === undefined) {
    for (const { path, rule } of check(file)) mistakes.add(path, rule, { code: 'SLUICE_UNSUPPORTED' });
  }
  const found = mistakes.sorted();
  if (found !== undefined || input === undefined || file === undefined) {
    return { mistakes: found as NonNullable<typeof found> };
  }
  return { file, warnings: warningsOf(file, input, mistakes) };
}

function warningsOf(file: PolicyFile, input: Sound<FileInput>, mistakes: MistakeList): readonly Mistake[] {
  const located = (found: readonly PolicyObjection[], code: MistakeCode): readonly Mistake[] =>
    found.map(({ path, rule }) => mistakes.located(path, rule, { code }));
  return [...located(chosenKeys(file), 'SLUICE_CHOSEN_KEY'), ...located(shortTimes(input), 'SLUICE_WINDOW_SHORT')].sort(
    byPlace,
  );
}

function* readFile(
  input: Sound<FileInput>,
  simple: SimpleCustomers | undefined,
  mistakes: MistakeList,
): Generator<void, PolicyFile> {
  const { tiers = {}, customers = {} } = input;
  const keys = readKeys(input.keys, mistakes);
  const names = { keys, tiers: Object.keys(tiers) };
  const policies = new Map<string, PolicyRule>();
  for (const [name, policy] of Object.entries(input.policies ?? {})) {
    if (policy !== undefined) policies.set(name, readPolicy(name, policy, names, ['policies', name], mistakes));
  }
  if (input.policies !== undefined && Object.keys(input.policies).length === 0) {
    mistakes.add(['policies'], 'must have at least one policy', { at: 'key' });
  }
  const readLimits = readTiers(tiers, mistakes);
  checkTiers(tiers, readLimits, policies.values(), mistakes);
  const reader = new CustomerReader(customerBases(input, policies, keys, mistakes), mistakes);
  if (simple !== undefined) yield* readSimple(simple, reader);
  for (const [name, customer] of Object.entries(customers)) if (customer !== undefined) reader.add(name, customer);
  const isAsked = [...policies.values()].some(({ tier }) => tier?.from === 'customers');
  const hasCustomers = simple !== undefined || Object.keys(customers).length > 0;
  if (
    hasCustomers &&
    !isAsked &&
    [...policies.keys()].every((name) => !mistakes.isDamaged(['policies', name, 'tier']))
  ) {
    const rule =
      'have no effect, because no policy has tier: { from: customers }: add it to a policy, or remove the customers';
    mistakes.add(['customers'], rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
  }
  return {
    enforcement: enforcementOf(input.enforcement),
    accept: input.accept,
    keys,
    tiers: readLimits,
    customers: reader.finish(),
    policies,
  };
}

function* readSimple({ names, tiers }: SimpleCustomers, reader: CustomerReader): Generator<void> {
  for (const [i, name] of names.entries()) {
    if (i % CUSTOMERS_PER_SLICE === 0) yield;
    reader.addPlain(name, tiers[i] as string);
  }
}

/** Tools of YAML 1.1 write on and off as true and false. */
function enforcementOf(enforcement: Sound<FileInput>['enforcement'] = 'on'): Enforcement {
  if (typeof enforcement === 'string') return enforcement;
  return enforcement ? 'on' : 'off';
}
