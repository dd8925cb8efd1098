const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(.))/g;

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' };

/**
 * Undoes the escapes of a log: `\x22` (nginx), `\"` and `\n` (Apache, and nginx with `escape=json`), `\u001f`. A value
 * without a backslash is returned as it is.
 */
export function unescaped(value: string): string {
  if (!value.includes('\\')) return value;
  return value.replace(ESCAPE, (_all, byte: string | undefined, unit: string | undefined, other: string) => {
    const code = byte ?? unit;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return CONTROLS[other] ?? other;
  });
}
