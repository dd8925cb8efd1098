import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODES, type Mode, type ModeName, QUOTA, SMALLER_QUOTA, WINDOW_MS } from './modes.js';

/** One of so many changes is a mistake, which must change nothing. */
const CHANGES_PER_MISTAKE = 5;

/** The modes whose policies come from the file. */
export const reloading = (Object.keys(MODES) as ModeName[]).filter((name) => (MODES[name] as Mode).reloads);

/** The file with the policies of the modes that reload. */
export class PolicyFile {
  readonly path: string;
  readonly #folder: string;
  #changes = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'sluice.yaml');
    this.set(QUOTA);
  }

  get changes(): number {
    return this.#changes;
  }

  /** Gives the limits the other quota, or makes a mistake. */
  change(): void {
    this.#changes += 1;
    const quota = this.#changes % 2 === 0 ? QUOTA : SMALLER_QUOTA;
    this.#write(quota, this.#changes % CHANGES_PER_MISTAKE === 0 ? 'policies: of two kinds\n' : '');
  }

  /** Gives the limits this quota, by putting a whole file in place of the last one, as editors do. */
  set(quota: number): void {
    this.#write(quota, '');
  }

  #write(quota: number, mistake: string): void {
    const written = join(this.#folder, 'next.yaml');
    writeFileSync(written, textOf(quota) + mistake);
    renameSync(written, this.path);
  }
}

function textOf(quota: number): string {
  const policies = reloading.map((name) => {
    const { onStoreError } = MODES[name];
    return `  ${name}: { key: customer, onStoreError: ${onStoreError}, limits: [{ name: window, limit: ${quota}, window: ${WINDOW_MS / 1000}s }] }`;
  });
  return ['version: 1', 'keys: { customer: { header: x-api-key } }', 'policies:', ...policies, ''].join('\n');
}
