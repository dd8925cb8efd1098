import { ALGORITHMS, type Algorithm } from '../../../algorithms/definitions.js';
import type { Kernel } from '../../../algorithms/kernel.js';
import { getOrMake } from '../../../values/get-or-create.js';
import type { Fingerprints, Start } from './fingerprint.js';

/** The keys of one limit under one algorithm. The limit's numbers are no part of it: what was spent outlives a change. */
export interface Series {
  readonly policy: string;
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly kernel: Kernel;
  readonly start: Start;
}

/** Far more than an application has limits. A series follows from its names, so all may be forgotten and made again. */
const MOST = 1000;

/** Series by policy, limit name and algorithm. */
export class SeriesTable {
  readonly #fingerprints: Fingerprints;
  readonly #policies = new Map<string, Map<string, Map<Algorithm, Series>>>();
  #size = 0;

  constructor(fingerprints: Fingerprints) {
    this.#fingerprints = fingerprints;
  }

  of(policy: string, name: string, algorithm: Algorithm): Series {
    return this.#policies.get(policy)?.get(name)?.get(algorithm) ?? this.#make(policy, name, algorithm);
  }

  #make(policy: string, name: string, algorithm: Algorithm): Series {
    if (this.#size >= MOST) {
      this.#policies.clear();
      this.#size = 0;
    }
    const start = this.#fingerprints.startOf(policy, name, algorithm);
    const series = { policy, name, algorithm, kernel: ALGORITHMS[algorithm], start };
    const names = getOrMake(this.#policies, policy, () => new Map<string, Map<Algorithm, Series>>());
    getOrMake(names, name, () => new Map<Algorithm, Series>()).set(algorithm, series);
    this.#size += 1;
    return series;
  }
}
