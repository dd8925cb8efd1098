import type { Algorithm } from '../../../algorithms/definition.js';
import { ALGORITHMS } from '../../../algorithms/definitions.js';
import type { Kernel } from '../../../algorithms/kernel.js';
import { getOrCreate } from '../../../values/get-or-create.js';
import type { Fingerprints, Start } from './fingerprint.js';

/** The keys of one limit under one algorithm. The limit's numbers are no part of it: what was spent outlives a change. */
export interface KeyNamespace {
  readonly policy: string;
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly kernel: Kernel;
  readonly start: Start;
}

/** Far more than an application has limits. A series follows from its names, so all may be forgotten and made again. */
const MOST = 1000;

/** Series by policy, limit name and algorithm. */
export class KeyNamespaces {
  readonly #fingerprints: Fingerprints;
  readonly #policies = new Map<string, Map<string, Map<Algorithm, KeyNamespace>>>();
  #size = 0;

  constructor(fingerprints: Fingerprints) {
    this.#fingerprints = fingerprints;
  }

  of(policy: string, name: string, algorithm: Algorithm): KeyNamespace {
    return this.#policies.get(policy)?.get(name)?.get(algorithm) ?? this.#make(policy, name, algorithm);
  }

  #make(policy: string, name: string, algorithm: Algorithm): KeyNamespace {
    if (this.#size >= MOST) {
      this.#policies.clear();
      this.#size = 0;
    }
    const start = this.#fingerprints.startOf(policy, name, algorithm);
    const series = { policy, name, algorithm, kernel: ALGORITHMS[algorithm].kernel, start };
    const names = getOrCreate(this.#policies, policy, () => new Map<string, Map<Algorithm, KeyNamespace>>());
    getOrCreate(names, name, () => new Map<Algorithm, KeyNamespace>()).set(algorithm, series);
    this.#size += 1;
    return series;
  }
}
