import type { Finding } from '../../src/doctor/diagnosis.js';
import { sluice } from '../test-io.js';

/** What the program has said of a store. */
export interface Examined {
  readonly exitCode: number;
  /** All that was printed. */
  readonly text: string;
  /** The level of each check: `{ memory: 'warn' }`. */
  readonly levels: Readonly<Record<string, string>>;
  /** What is said about a check, and what to do. */
  readonly said: (check: string) => string;
  readonly finding: (check: string) => Finding | undefined;
}

/** Examines a store as a user does. */
export async function examined(store: string, ...options: readonly string[]): Promise<Examined> {
  const { exitCode, out, err } = await sluice(['doctor', '--store', store, '--json', ...options]);
  if (err !== '') throw new Error(err);
  const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] };
  const finding = (check: string): Finding | undefined => findings.find((one) => one.check === check);
  return {
    exitCode,
    text: out,
    levels: Object.fromEntries(findings.map(({ check, level }) => [check, level])),
    said: (check) => `${finding(check)?.text} ${finding(check)?.remedy ?? ''}`,
    finding,
  };
}
