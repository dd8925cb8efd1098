import { createServer, type Server, type Socket } from 'node:net';
import type { MemoryStore } from '@sluice/core';
import { CallAnswerer, SharedLimits } from './call-answerer.js';
import { greeted, greeting } from './call-lines.js';
import { eachLine } from './lines.js';

/** Answers the workers from the counters of this process. It does not keep the process alive. */
export class PrimaryServer {
  readonly #server: Server;
  readonly #store: MemoryStore;
  readonly #limits = new SharedLimits();
  readonly #connections = new Set<Socket>();
  #isClosed = false;

  private constructor(server: Server, store: MemoryStore) {
    this.#server = server;
    this.#store = store;
    server.on('connection', (socket) => this.#serve(socket));
  }

  /**
   * Opens the channel. Returns undefined if another process has it, or has left its socket behind.
   *
   * @param makeStore - called if it is open, and before anybody is answered
   * @param failed - called with an error that is another one
   */
  static open(
    channel: string,
    makeStore: () => MemoryStore,
    failed: (error: Error) => void,
  ): PrimaryServer | undefined {
    const server = createServer();
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') failed(error);
    });
    // The primary of node:cluster would listen in the place of its workers, and PM2 runs instances as such.
    server.listen({ path: channel, exclusive: true });
    if (!server.listening) return undefined;
    server.unref();
    return new PrimaryServer(server, makeStore());
  }

  /** Answers nobody any more, and reads nothing. What was answered is still sent. */
  close(): void {
    this.#isClosed = true;
    this.#server.close();
    for (const socket of this.#connections) socket.destroySoon();
  }

  #serve(socket: Socket): void {
    socket.unref();
    this.#connections.add(socket);
    socket.on('close', () => this.#connections.delete(socket));
    // It is closed then, and its worker comes again.
    socket.on('error', () => {});
    let answerer: CallAnswerer | undefined;
    eachLine(socket, (line) => {
      if (this.#isClosed || socket.writableEnded) return;
      if (answerer) {
        socket.write(answerer.answer(line));
        return;
      }
      // First of all, so that a worker of another version learns why nobody answers it.
      socket.write(greeting(this.#store.clock.now()));
      if (greeted(line) === undefined) socket.end();
      else answerer = new CallAnswerer(this.#store, this.#limits);
    });
  }
}
