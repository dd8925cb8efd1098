import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/** A program of the tests' own, made from source as one script: the tests need no build. */
export class TestProgram {
  readonly path: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'program.cjs');
  }

  /** @param file - the path of its entry point. */
  static async build(file: string): Promise<TestProgram> {
    const program = new TestProgram(mkdtempSync(join(tmpdir(), 'sluice-program-')));
    await build({
      entryPoints: [file],
      bundle: true,
      platform: 'node',
      conditions: ['@sluice/source'],
      outfile: program.path,
      logLevel: 'error',
    });
    return program;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
