type EmitWarning = typeof process.emitWarning;

/** The codes of the process warnings that are given while `during` runs; they are not printed. */
export async function recordedWarnings(during: () => Promise<void>): Promise<readonly string[]> {
  const codes: string[] = [];
  const { emitWarning } = process;
  // By a 'warning' listener they could not be kept from being printed, and some test frameworks hide the real process.
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
