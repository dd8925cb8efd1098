/** A block as the administration shows it. */
export interface ShownBlock {
  /** When it ends, or `forever`. */
  readonly until: string;
  readonly by: 'limit' | 'admin';
  readonly strikes: number;
  readonly reason?: string;
}

/** Says until when a key is blocked, by whom and why. */
export function blockText({ until, by, strikes, reason }: ShownBlock): string {
  const end = until === 'forever' ? 'blocked until it is unblocked' : `blocked until ${until}`;
  const who = by === 'admin' ? 'by hand' : `by a limit${strikes > 1 ? `, ${strikes} times in a row` : ''}`;
  return `${end}, ${who}${reason === undefined ? '' : `: ${reason}`}`;
}
