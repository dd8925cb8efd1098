import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What became of one mutant. One line of a results file. */
export interface Verdict {
  readonly id: string;
  /** Stands for the code of its file. */
  readonly code: string;
  /** What has found it out. Absent: nothing. */
  readonly killed?: Kill;
  /** The stages that passed with the mutant in the code, and how long each took. */
  readonly passed: readonly Passed[];
}

/** What has found out a mutant. */
export interface Kill {
  readonly stage: string;
  readonly how: 'failed' | 'late';
  readonly ms: number;
  /** The test that failed first, if the stage runs tests. */
  readonly by?: string;
}

/** A stage that a mutant came through. */
export interface Passed {
  readonly stage: string;
  readonly ms: number;
}

/** Verdicts in a file of JSON lines, which keeps each as soon as it is known. */
export class VerdictLog {
  readonly #file: string;
  readonly #latest = new Map<string, Verdict>();

  constructor(file: string) {
    this.#file = file;
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    // A run that was killed while it wrote has left half of a line, which nothing may be written behind.
    if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
    for (const line of text.split('\n')) {
      const verdict = verdictIn(line);
      if (verdict) this.#latest.set(keyOf(verdict), verdict);
    }
  }

  /** The latest verdict on a mutant of this code. */
  find(id: string, code: string): Verdict | undefined {
    return this.#latest.get(keyOf({ id, code }));
  }

  add(verdict: Verdict): void {
    appendFileSync(this.#file, `${JSON.stringify(verdict)}\n`);
    this.#latest.set(keyOf(verdict), verdict);
  }
}

const keyOf = ({ id, code }: Pick<Verdict, 'id' | 'code'>): string => `${id} ${code}`;

/** Empty lines, and half of one, hold no verdict. */
function verdictIn(line: string): Verdict | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
