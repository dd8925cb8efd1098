import { type LimitCheck, type LimitOutline, type PolicyOutline, SluiceError, type Target } from '@sluice/core';
import { optionError } from '@sluice/core/values';
import type { DurableObjectStoreOptions } from './durable-object-store-options.js';

/** The longest name of an object that a partition may have. */
const LONGEST_NAME = 500;

/** Says which object decides about a target. */
export class Partitions {
  /** The only object; undefined if there are several. */
  readonly only: string | undefined;
  readonly #nameOf: ((target: Target) => string) | undefined;

  /** @throws SluiceError `SLUICE_OPTION` */
  constructor(partition: DurableObjectStoreOptions['partition']) {
    if (typeof partition === 'function') {
      this.#nameOf = (target) => checkName(partition(target), 'partition()');
    } else if (partition !== undefined) {
      const only = checkName(partition, 'partition');
      this.only = only;
      this.#nameOf = () => only;
    }
  }

  /** Whether each key of a policy has an object of its own. */
  get areKeys(): boolean {
    return this.#nameOf === undefined;
  }

  nameOf(target: Target): string {
    // A policy's name has no line break.
    return this.#nameOf ? this.#nameOf(target) : `${target.policy}\n${target.key}`;
  }

  /**
   * Refuses a policy whose checks have different keys, if each key has an object of its own: no step reaches several objects.
   *
   * @throws SluiceError `SLUICE_OPTION`
   */
  accept({ limits }: PolicyOutline): void {
    if (!this.areKeys) return;
    const guarantee = limits.find(({ usesGuarantee }) => usesGuarantee);
    if (guarantee)
      throw partitionError(`the limit ${quoted(guarantee)} has a guarantee: one object has to have all of its keys`);
    const [first, ...others] = limits.filter(({ algorithm }) => algorithm !== 'unlimited');
    const other = first && others.find((limit) => !haveSameKey(first, limit));
    if (first && other)
      throw partitionError(
        `the limits ${quoted(first)} and ${quoted(other)} count by different keys: one object has to decide about both`,
      );
  }

  /**
   * Checks that one object can decide about guaranteed parts.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED`
   */
  checkParts(checks: readonly LimitCheck[]): void {
    if (!this.areKeys || checks.every(({ parts }) => parts === undefined)) return;
    throw new SluiceError('SLUICE_UNSUPPORTED', 'a guarantee needs a store with the option partition');
  }

  /**
   * Returns the object that decides about all of these checks and their parts.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED` if there are several
   */
  onlyNameOf(checks: readonly LimitCheck[]): string {
    const targets = checks.flatMap((check) => [check, ...(check.parts ? [check.parts.own, check.parts.all] : [])]);
    const [name, other] = new Set(targets.map((target) => this.nameOf(target)));
    if (other === undefined) return name as string;
    const message = `partition returned ${JSON.stringify(name)} and ${JSON.stringify(other)} for one request: one object has to decide about all of its limits`;
    throw new SluiceError('SLUICE_UNSUPPORTED', message);
  }
}

function checkName(name: unknown, path: string): string {
  if (typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME) return name;
  throw optionError(path, `must be text of 1 to ${LONGEST_NAME} characters, or a function that returns it`, name);
}

const partitionError = (why: string): SluiceError =>
  optionError('partition', `must be given, because ${why}`, undefined);

const quoted = ({ name }: LimitOutline): string => JSON.stringify(name);

function haveSameKey(one: LimitOutline, other: LimitOutline): boolean {
  const [own, others] = [one.keyGenerators ?? [], other.keyGenerators ?? []];
  return (
    one.partition === other.partition &&
    own.length === others.length &&
    own.every((keyGenerator, i) => keyGenerator === others[i])
  );
}
