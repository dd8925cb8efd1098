// What inliner.cjs has computed before, so that it is not computed again. After
//   local other_1 = (level - 3)
// the text `(level - 3)` is known as `other_1`, until something assigns `level`, or the block ends in which `other_1` was made.

/** Variables that have what a text computes, as long as nothing in it has changed, and only in their block. */
class Known {
  #entries = new Map();
  /** The variables that were assigned, in order. */
  #assigned = [];
  #depth = 0;

  /** The variable that has what a text computes; undefined if none has. */
  get(text) {
    return this.#entries.get(text)?.name;
  }

  /**
   * Notes that a variable has what a text computes.
   *
   * @param values - what the text depends on
   */
  set(text, name, values = [text]) {
    const names = new Set([name, ...values].flatMap((value) => value?.match(/[A-Za-z_]\w*/g) ?? []));
    this.#entries.set(text, { name, names, depth: this.#depth });
  }

  /** Forgets what depends on a variable, or on the list of which it is an entry. */
  forget(variable) {
    const [name] = variable.match(/\w+/);
    this.#assigned.push(name);
    this.keepIf(({ names }) => !names.has(name));
  }

  /** Keeps what depends on these variables alone. */
  keep(settled) {
    this.keepIf(({ names }) => [...names].every((name) => settled.has(name)));
  }

  keepIf(isKept) {
    for (const [text, entry] of this.#entries) if (!isKept(entry)) this.#entries.delete(text);
  }

  /** Takes steps in a block of its own. After it, what it has computed is forgotten, and so is what depends on what it has assigned. */
  within(...steps) {
    const outside = new Map(this.#entries);
    const before = this.#assigned.length;
    for (const step of steps) step();
    const assigned = new Set(this.#assigned.slice(before));
    this.#entries = outside;
    this.keepIf(({ names }) => ![...names].some((name) => assigned.has(name)));
  }

  /** Notes Lua that is written by hand: its blocks, and what it assigns. */
  pass(lua) {
    for (const [word, names] of lua.matchAll(
      /\b(?:then|do|function|repeat|else|elseif|end|until)\b|(\w+(?:\[[^\]]*\])?(?:\s*,\s*\w+(?:\[[^\]]*\])?)*)\s*=(?!=)/g,
    )) {
      if (names) for (const name of names.split(',')) this.forget(name.trim());
      else {
        if (['else', 'elseif', 'end', 'until'].includes(word)) this.#depth -= 1;
        this.keepIf(({ depth }) => depth <= this.#depth);
        if (!['elseif', 'end', 'until'].includes(word)) this.#depth += 1;
      }
    }
  }
}

module.exports = { Known };
