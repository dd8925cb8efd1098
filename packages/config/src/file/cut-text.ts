/** A text from which pieces are cut, and where each place of what is left was before. */
export class CutText {
  readonly #text: string;
  /** The parts that are left. */
  readonly #parts: string[] = [];
  /** For each cut: its place in the rest, and how many characters were cut up to there. */
  readonly #places: number[] = [];
  readonly #lengths: number[] = [];
  #end = 0;
  #restLength = 0;
  #cutLength = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Cuts a piece out. Pieces come in their order. */
  cut(from: number, to: number): void {
    if (from > this.#end || this.#places.length === 0) {
      this.#keepUpTo(from);
      this.#places.push(this.#restLength);
      this.#lengths.push(this.#cutLength);
    }
    this.#cutLength += to - from;
    this.#lengths[this.#lengths.length - 1] = this.#cutLength;
    this.#end = to;
  }

  /** Returns what is left. Nothing is cut afterwards. */
  rest(): string {
    this.#keepUpTo(this.#text.length);
    return this.#parts.join('');
  }

  /** Returns where a place of the rest is in the text. */
  offsetOf(place: number): number {
    const after = this.#places.findLastIndex((cut) => cut <= place);
    return place + (this.#lengths[after] ?? 0);
  }

  #keepUpTo(end: number): void {
    this.#parts.push(this.#text.slice(this.#end, end));
    this.#restLength += end - this.#end;
    this.#end = end;
  }
}
