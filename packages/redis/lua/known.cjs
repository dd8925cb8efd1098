// What inline.cjs has computed before, so that it is not computed again.

/** Variables that have what a text computes, as long as nothing in it has changed, and only in their block. */
class Known {
  #entries = new Map();
  /** The variables that were assigned, in order. */
  #assigned = [];
  #depth = 0;

  get(text) {
    return this.#entries.get(text)?.name;
  }

  /** @param values - what the text depends on */
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

  /** Does this in a block of its own. */
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
