/**
 * Makes a function that says whether a path has a pattern. `*` stands for any characters within one segment, and `**` for any
 * number of segments, also none: `/v1/**` is `/v1`, `/v1/items` and all below. Everything else stands for itself, also its
 * case. It takes time in proportion to the path, whatever the path is.
 */
export function pathPattern(pattern: string): (path: string) => boolean {
  if (!pattern.includes('*')) return (path) => path === pattern;
  const base = pattern.slice(0, -3);
  if (pattern.endsWith('/**') && !base.includes('*')) {
    return (path) => path.startsWith(base) && (path.length === base.length || path[base.length] === '/');
  }
  const segments = pattern.split('/').map((segment): Matcher<string> | 'any' => {
    return segment === '**' ? 'any' : segmentPattern(segment);
  });
  return (path) => matchesList(segments, path.split('/'));
}

type Matcher<T> = (item: T) => boolean;

function segmentPattern(pattern: string): Matcher<string> {
  if (!pattern.includes('*')) return (segment) => segment === pattern;
  const characters = [...pattern.replaceAll(/\*+/g, '*')].map((character): Matcher<string> | 'any' =>
    character === '*' ? 'any' : (other) => other === character,
  );
  return (segment) => matchesList(characters, [...segment]);
}

/**
 * Whether a list has a pattern in which `'any'` stands for any number of items. If an item does not match, the last `'any'`
 * takes one more; the ones before it need no more, since whatever they left is left to the last one as well.
 */
function matchesList<T>(pattern: readonly (Matcher<T> | 'any')[], items: readonly T[]): boolean {
  let [at, from, lastAny, taken] = [0, 0, -1, 0];
  while (from < items.length) {
    const part = pattern[at];
    if (part === 'any') {
      [lastAny, taken] = [at, from];
      at += 1;
    } else if (part?.(items[from] as T)) {
      at += 1;
      from += 1;
    } else if (lastAny >= 0) {
      taken += 1;
      [at, from] = [lastAny + 1, taken];
    } else return false;
  }
  while (pattern[at] === 'any') at += 1;
  return at === pattern.length;
}
