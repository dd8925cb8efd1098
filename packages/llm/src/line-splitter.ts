/**
 * Splits a text that comes in pieces into lines. What is open is looked at once: a long line in small pieces takes as long as a long text
 * in large ones.
 */
export class LineSplitter {
  #open = '';

  /** Returns the lines that end in the next piece, without their ends. */
  push(piece: string): readonly string[] {
    const lines = piece.split('\n');
    const open = lines.pop() as string;
    const [first] = lines;
    if (first === undefined) {
      this.#open += open;
      return lines;
    }
    lines[0] = this.#open + first;
    this.#open = open;
    return lines;
  }

  /** The characters of the line that has not ended. */
  get openLength(): number {
    return this.#open.length;
  }

  /** Returns the line that has not ended, and forgets it. */
  takeOpen(): string {
    const open = this.#open;
    this.#open = '';
    return open;
  }
}
