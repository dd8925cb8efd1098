/** The text of a policy file, as a source has it now. */
export interface SourceText {
  /** The text of the file. */
  readonly text: string;
  /** Names this text: the same for the same text, and for no other. */
  readonly revision: string;
  /** Where the text came from, for messages: a path or an address. */
  readonly origin: string;
}

/** Where policies come from. `fromFile`, `fromRedis` and `fromHttp` make one. */
export interface Source {
  /** Reads the text. It fails if there is none. */
  read(signal: AbortSignal): Promise<SourceText>;
  /**
   * Yields each time the text may have changed, until the signal aborts. `read` tells what is wrong with the text. If this fails before the
   * end, the process gets the warning `SLUICE_HOOK_FAILED` once, and it is called again after a second.
   */
  changes(signal: AbortSignal): AsyncIterable<void>;
}
