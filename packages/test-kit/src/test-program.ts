import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

type Format = 'cjs' | 'esm';

/** A program of the tests' own, made from source as one script: the tests need no build. */
export class TestProgram {
  readonly path: string;
  readonly #folder: string;

  private constructor(folder: string, format: Format) {
    this.#folder = folder;
    this.path = join(folder, format === 'esm' ? 'program.mjs' : 'program.cjs');
  }

  /**
   * @param file - the path of its entry point.
   * @param format - `esm` for a program with modules that cannot be CommonJS.
   */
  static async build(file: string, format: Format = 'cjs'): Promise<TestProgram> {
    const program = new TestProgram(mkdtempSync(join(tmpdir(), 'sluice-program-')), format);
    await build({
      entryPoints: [file],
      bundle: true,
      platform: 'node',
      format,
      conditions: ['@sluice/source'],
      outfile: program.path,
      // What is compiled for the machine stands beside the script.
      loader: { '.node': 'copy' },
      logLevel: 'error',
    });
    return program;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
