import { describe, it } from '@jest/globals';
import { type Runner, VECTORS } from '@sluice/conformance';

/** One of several parts of the vectors: every so many of them. */
export interface Part {
  readonly index: number;
  readonly of: number;
}

const FILES: ReadonlySet<string> = new Set(VECTORS.map(({ file }) => file));

/**
 * Runs the suite of stores with a part of the vectors: for a store that counts by the code of another one, which plays all of them. Vectors
 * that the suite would report as left out are not mentioned.
 */
export function withPartOfVectors(
  { index, of }: Part,
  runner: { readonly describe: Runner['describe']; readonly it: Runner['it'] } = { describe, it },
): Runner {
  const { skip = runner.it } = runner.it;
  let isOfVectors = false;
  let vectors = -1;
  return {
    describe(title, body) {
      isOfVectors = FILES.has(title);
      runner.describe(title, body);
    },
    it: Object.assign(
      (title: string, body: () => Promise<void>): void => {
        if (isOfVectors) vectors += 1;
        if (!isOfVectors || vectors % of === index) runner.it(title, body);
      },
      {
        skip(title: string, body: () => Promise<void>): void {
          if (!isOfVectors) skip(title, body);
        },
      },
    ),
  };
}
