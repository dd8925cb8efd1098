/** Variables that hold a value within an expression. Each function has its own. */
export class Temporaries {
  #count = 0;
  readonly #free: string[] = [];

  take(): string {
    const name = this.#free.pop();
    if (name !== undefined) return name;
    this.#count += 1;
    return `$t${this.#count}`;
  }

  give(name: string): void {
    this.#free.push(name);
  }

  get declaration(): string {
    return this.#count === 0 ? '' : `let ${Array.from({ length: this.#count }, (_, i) => `$t${i + 1}`).join(', ')};`;
  }
}
