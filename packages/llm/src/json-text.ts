/** Where the value of a member stands in a text of JSON, and its name. */
interface MemberSpan {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns a text of JSON with another value of a member, which is added if there is none. Everything else stays as it is, to the
 * character: large numbers, `1.0`, the order of members, escapes and white space, which a parser would not give back.
 *
 * @param text - a valid JSON object
 * @param path - the names that lead to the member. Objects that are missing, and other values in their place, become objects
 */
export function withMemberInText(text: string, path: readonly string[], value: unknown): string {
  const [name = '', ...rest] = path;
  const start = pastSpace(text, 0);
  const { members, end } = membersAt(text, start);
  const written = (before: string): string => {
    if (rest.length === 0) return JSON.stringify(value);
    return withMemberInText(before.startsWith('{') ? before : '{}', rest, value);
  };
  // A name that stands twice has two values, and nobody knows which of them a server reads.
  const found = members.filter((member) => member.name === name);
  if (found.length > 0) {
    return found.reduceRight(
      (all, { from, to }) => all.slice(0, from) + written(all.slice(from, to)) + all.slice(to),
      text,
    );
  }
  const added = `${JSON.stringify(name)}:${written('{}')}`;
  const last = members.at(-1);
  return last
    ? `${text.slice(0, last.to)},${added}${text.slice(last.to)}`
    : text.slice(0, end) + added + text.slice(end);
}

/**
 * Returns a text of JSON with other elements of a list. Everything around them stays as it is.
 *
 * @param text - a valid JSON object
 * @param name - the member that has the list. Without one, nothing changes
 * @param change - returns the text of an element, by its text and its place
 */
export function withElementsInText(text: string, name: string, change: (element: string, i: number) => string): string {
  const list = membersAt(text, pastSpace(text, 0)).members.find((member) => member.name === name);
  if (list === undefined || text[list.from] !== '[') return text;
  const parts: string[] = [];
  let from = 0;
  let at = pastSpace(text, list.from + 1);
  for (let i = 0; at < list.to && text[at] !== ']'; i += 1) {
    const end = pastValue(text, at);
    parts.push(text.slice(from, at), change(text.slice(at, end), i));
    from = end;
    at = pastSpace(text, end);
    if (text[at] === ',') at = pastSpace(text, at + 1);
  }
  return parts.join('') + text.slice(from);
}

/** Returns the members of the object that begins at a place, and the place of its closing brace. */
function membersAt(text: string, start: number): { readonly members: readonly MemberSpan[]; readonly end: number } {
  const members: MemberSpan[] = [];
  let at = pastSpace(text, start + 1);
  while (text[at] === '"') {
    const nameEnd = pastString(text, at);
    const from = pastSpace(text, pastSpace(text, nameEnd) + 1);
    const to = pastValue(text, from);
    members.push({ name: JSON.parse(text.slice(at, nameEnd)) as string, from, to });
    at = pastSpace(text, to);
    if (text[at] === ',') at = pastSpace(text, at + 1);
  }
  return { members, end: at };
}

/**
 * Returns a name that stands twice in one object of a JSON text; undefined if there is none. Parsers disagree which value counts, so
 * such a text means one thing to a gateway and another to a server.
 *
 * @param text - valid JSON
 */
export function repeatedName(text: string): string | undefined {
  const objects: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) {
      const end = pastString(text, at);
      const names = objects.at(-1);
      if (names && text[pastSpace(text, end)] === ':') {
        const name = nameAt(text, at, end);
        if (names.has(name)) return name;
        names.add(name);
      }
      at = end - 1;
    } else if (sign === OPEN_OBJECT) objects.push(new Set());
    else if (sign === OPEN_LIST) objects.push(undefined);
    else if (sign === CLOSE_OBJECT || sign === CLOSE_LIST) objects.pop();
  }
  return undefined;
}

const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

function nameAt(text: string, from: number, to: number): string {
  const name = text.slice(from + 1, to - 1);
  return name.includes('\\') ? (JSON.parse(text.slice(from, to)) as string) : name;
}

const SPACE = /[\t\n\r ]*/y;

function pastSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** Returns the place behind the string that begins at a place. */
function pastString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text[escapes - 1] === '\\') escapes -= 1;
    if ((end - escapes) % 2 === 0) return end + 1;
  }
  return text.length;
}

const SCALAR = /[^\t\n\r ,\]}]*/y;

/** Returns the place behind the value that begins at a place. */
function pastValue(text: string, start: number): number {
  if (text[start] === '"') return pastString(text, start);
  if (text[start] !== '{' && text[start] !== '[') {
    SCALAR.lastIndex = start;
    SCALAR.test(text);
    return SCALAR.lastIndex;
  }
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = pastString(text, at) - 1;
    else if (sign === OPEN_OBJECT || sign === OPEN_LIST) depth += 1;
    else if (sign === CLOSE_OBJECT || sign === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}
