/** Marks the end of a page's list of free cells. */
const NONE = -1;

/** Some cells of a slab, as doubles and as 32-bit integers. */
export class Page {
  readonly numbers: Float64Array;
  readonly words: Int32Array;
  /** Values that are no numbers, by cell. Created when it is first needed. */
  objects: unknown[] | undefined;
  /** How many cells are taken. */
  live = 0;
  /** Cells from this one on were never taken. */
  untouched: number;
  /** The first free cell that was taken before. Each such cell holds the number of the next. */
  free = NONE;

  constructor(
    readonly number: number,
    doubles: number,
  ) {
    this.numbers = new Float64Array(doubles);
    this.words = new Int32Array(this.numbers.buffer);
    // The first cell of all is never taken, because the number 0 stands for no cell.
    this.untouched = number === 0 ? 1 : 0;
  }
}

/**
 * Cells of a fixed number of doubles, by number. They come in pages, so that a slab grows without copying its content,
 * and returns empty pages to the system.
 */
export class Slab {
  readonly pages: (Page | undefined)[] = [];
  readonly #cellDoubles: number;
  readonly #shift: number;
  /** Pages with a free cell, and the numbers of dropped pages. */
  #roomy: Page[] = [];
  #vacant: number[] = [];

  /** A page has 2^`shift` cells. */
  constructor(cellDoubles: number, shift: number) {
    this.#cellDoubles = cellDoubles;
    this.#shift = shift;
  }

  /** Takes a cell. It still has its old content. */
  take(): number {
    const page = this.#roomy[this.#roomy.length - 1] ?? this.#addPage();
    const cell = page.free === NONE ? page.untouched : page.free;
    if (page.free === NONE) page.untouched += 1;
    else page.free = page.words[2 * this.#cellDoubles * cell] as number;
    page.live += 1;
    if (this.#isFull(page)) this.#roomy.pop();
    return (page.number << this.#shift) | cell;
  }

  release(number: number): void {
    const page = this.pages[number >>> this.#shift] as Page;
    const cell = number & ((1 << this.#shift) - 1);
    if (this.#isFull(page)) this.#roomy.push(page);
    page.words[2 * this.#cellDoubles * cell] = page.free;
    page.free = cell;
    page.live -= 1;
    // One page with room is kept, so that a single cell that is taken and released does not create a page each time.
    if (page.live === 0 && this.#roomy.length > 1) this.#dropPage(page);
  }

  clear(): void {
    this.pages.length = 0;
    this.#roomy = [];
    this.#vacant = [];
  }

  #isFull(page: Page): boolean {
    return page.free === NONE && page.untouched === 1 << this.#shift;
  }

  #addPage(): Page {
    const page = new Page(this.#vacant.pop() ?? this.pages.length, this.#cellDoubles << this.#shift);
    this.pages[page.number] = page;
    this.#roomy.push(page);
    return page;
  }

  #dropPage(page: Page): void {
    this.pages[page.number] = undefined;
    this.#vacant.push(page.number);
    this.#roomy.splice(this.#roomy.indexOf(page), 1);
  }
}
