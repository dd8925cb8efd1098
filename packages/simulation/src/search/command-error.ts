/** The command cannot be carried out as it was asked. Its message is for the person who typed it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
