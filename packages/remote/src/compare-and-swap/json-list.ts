/** Returns the list in a text of JSON; an empty one if there is none. */
export function listIn(text: string | undefined): readonly unknown[] {
  if (text === undefined) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

export const isNumber = (value: unknown): value is number => typeof value === 'number';
