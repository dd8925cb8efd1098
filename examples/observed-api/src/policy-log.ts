import { subscribe } from '@sluice/express';

/** Prints what became of each new text of the policy file. */
export function printPolicies(print: (line: string) => void): () => void {
  return subscribe('sluice:policy', ({ outcome, revision, changes, mistakes = [] }) => {
    print(revision === '' ? 'Policies could not be read, so the last ones hold:' : `Policies ${revision}: ${outcome}`);
    for (const { path, from, to } of changes) print(`  ${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`);
    for (const { line, column, message } of mistakes) {
      print(revision === '' ? `  ${message}` : `  line ${line}, column ${column}: ${message}`);
    }
  });
}
