type EmitWarning = typeof process.emitWarning;

/** Returns the codes of the warnings that `during` causes. They are not printed. */
export async function recordedWarnings(during: () => Promise<void>): Promise<readonly string[]> {
  if (!globalThis.process?.emitWarning) return warningsOnConsole(during);
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

/** Where no process emits warnings, they are printed. */
async function warningsOnConsole(during: () => Promise<void>): Promise<readonly string[]> {
  const codes: string[] = [];
  const { warn } = console;
  console.warn = (text: unknown): void => {
    codes.push(/^\[(\w+)\]/.exec(String(text))?.[1] ?? '');
  };
  try {
    await during();
  } finally {
    console.warn = warn;
  }
  return codes;
}
