import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(__dirname, '../../..');

/** What a process left behind. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** The program as users run it, made from source as one script: the tests need no build. */
export class RealProgram {
  readonly folder: string;
  readonly path: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.path = join(folder, 'main.mjs');
  }

  static async build(): Promise<RealProgram> {
    const program = new RealProgram(mkdtempSync(join(tmpdir(), 'sluice-cli-')));
    symlinkSync(join(ROOT, 'node_modules'), join(program.folder, 'node_modules'));
    await build({
      entryPoints: [join(__dirname, '../src/main.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      splitting: true,
      conditions: ['@sluice/source'],
      external: [
        ...['commander', 'picocolors', 'cli-progress', 'yaml', 'valibot', 'vega', 'vega-lite'],
        ...['ioredis', 'pg', 'libsql'],
      ],
      outdir: program.folder,
      outExtension: { '.js': '.mjs' },
      logLevel: 'error',
    });
    return program;
  }

  /** Runs the program with arguments, in its folder. */
  run(...args: readonly string[]): Promise<Ended> {
    return this.#end(process.execPath, [this.path, ...args]);
  }

  /** Runs a script of the shell in which `"$@"` is the program with its arguments. */
  shell(script: string, args: readonly string[], whileRunning?: (pid: number) => void): Promise<Ended> {
    return this.#end('sh', ['-c', script, 'sh', process.execPath, this.path, ...args], whileRunning);
  }

  #end(command: string, args: readonly string[], whileRunning?: (pid: number) => void): Promise<Ended> {
    return new Promise((resolve, reject) => {
      // A group of its own gets the signals of a terminal together.
      const child = spawn(command, args, { cwd: this.folder, detached: true, env: { PATH: process.env.PATH } });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr.on('data', (chunk) => {
        err += chunk;
      });
      child.on('error', reject);
      child.on('close', (exitCode, signal) => resolve({ exitCode, signal, out, err }));
      if (child.pid !== undefined) whileRunning?.(child.pid);
      if (!whileRunning) child.stdin.end();
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
