/** A variable of the environment has a value that does not work. */
export class VariableError extends Error {}

/**
 * Reads a whole number.
 *
 * @param name - the variable, for the message
 * @throws VariableError
 */
export function wholeNumber(name: string, text: string, { least = 0, most = Number.MAX_SAFE_INTEGER } = {}): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new VariableError(`${name} must be a whole number ${range}, got ${JSON.stringify(text)}.`);
}

/** Reads a port: 0 is any that is free. */
export const portOf = (name: string, text: string): number => wholeNumber(name, text, { most: 65_535 });
