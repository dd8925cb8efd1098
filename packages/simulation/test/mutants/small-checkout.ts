import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A checkout with a few files, for tests of what copies and changes one. */
export class SmallCheckout {
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-small-checkout-'));
  readonly root = join(this.folder, 'original');
  readonly #files: string[] = [];

  constructor(files: Readonly<Record<string, string>>) {
    for (const [file, text] of Object.entries(files)) this.write(file, text);
  }

  /** As git would list them. */
  get files(): readonly string[] {
    return this.#files;
  }

  write(file: string, text: string): void {
    this.#make(file);
    writeFileSync(join(this.root, file), text);
    if (!this.#files.includes(file)) this.#files.push(file);
  }

  /** Something that git does not list: a package from elsewhere. */
  install(file: string, text: string): void {
    this.#make(file);
    writeFileSync(join(this.root, file), text);
  }

  /** A link that git does not list: one of the checkout's own packages. */
  link(path: string, target: string): void {
    this.#make(path);
    symlinkSync(target, join(this.root, path));
  }

  delete(file: string): void {
    rmSync(join(this.root, file));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #make(path: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
  }
}
