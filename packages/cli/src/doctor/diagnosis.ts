/** How a check ended. `warn` is a risk. `fail` keeps limits from working. */
export type Level = 'ok' | 'warn' | 'fail';

/** What one check has found. */
export interface Finding {
  readonly level: Level;
  /** What was checked, in a word: `persistence`. */
  readonly check: string;
  /** What is so. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** What was measured, by name. */
  readonly figures?: Figures;
}

/** Numbers that were measured. The end of a name is its unit. */
type Figures = Readonly<Record<string, number>>;

/** Collects what the checks of a store find, in their order. */
export class Diagnosis {
  readonly findings: Finding[] = [];

  ok(check: string, text: string, figures?: Figures): void {
    this.findings.push({ level: 'ok', check, text, ...(figures && { figures }) });
  }

  warn(check: string, text: string, remedy: string, figures?: Figures): void {
    this.findings.push({ level: 'warn', check, text, remedy, ...(figures && { figures }) });
  }

  fail(check: string, text: string, remedy: string, figures?: Figures): void {
    this.findings.push({ level: 'fail', check, text, remedy, ...(figures && { figures }) });
  }
}

/** How stores are examined. */
export interface Examination {
  /** Where findings go. */
  readonly diagnosis: Diagnosis;
  /** How long the store has for one answer. */
  readonly timeoutMs: number;
  /** What the keys of the application begin with. */
  readonly prefix: string;
  /** The table of the application. */
  readonly table: string;
}
