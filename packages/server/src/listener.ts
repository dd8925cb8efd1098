/** A part of the program that listens on a port: HTTP, gRPC, the administration. */
export interface Listener {
  /**
   * Begins to listen, and resolves with the port.
   *
   * @param port - 0 for a free one
   */
  listen(host: string, port: number): Promise<number>;
  /** Tells clients to go elsewhere (`Connection: close`, GOAWAY), and goes on answering. */
  leave(): void;
  /** Takes no new connections, and resolves when all answers are sent, or the time is over: then it cuts off the rest. */
  close(withinMs: number): Promise<void>;
}
