type EmitWarning = typeof process.emitWarning;

/** Returns the codes of the process warnings that `during` causes. They are not printed. */
export async function recordedWarnings(during: () => Promise<void>): Promise<readonly string[]> {
  const codes: string[] = [];
  const { emitWarning } = process;
  // A 'warning' listener could not prevent printing, and some test frameworks hide the real process.
  process.emitWarning = ((_warning: unknown, { code = '' }: { code?: string } = {}): void => {
    codes.push(code);
  }) as EmitWarning;
  try {
    await during();
  } finally {
    process.emitWarning = emitWarning;
  }
  return codes;
}
