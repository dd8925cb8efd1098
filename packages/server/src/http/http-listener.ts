import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock } from '@sluice/core';
import type { Listener } from '../listener.js';

/** How long a new connection may be open without a byte, while the server closes. Its first request may be on the way. */
const SILENT_MS = 1000;

/** How often connections are closed whose last answer was under way when clients were told to go. */
const SWEEP_MS = 50;

/**
 * Makes a listener of a server of `node:http`.
 *
 * @param server - it has its options and its request listener already
 */
export function httpListener(server: Server): Listener {
  return new HttpListener(server);
}

class HttpListener implements Listener {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isLeaving = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async listen(host: string, port: number): Promise<number> {
    this.#server.listen(port, host);
    // It rejects with the error of the server, if that comes first.
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Node closes a connection after an answer with this field. */
  leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#server.prependListener('request', (_, response) => void response.setHeader('Connection', 'close'));
  }

  async close(withinMs: number): Promise<void> {
    this.leave();
    const closed = new AbortController();
    const isClosed = new Promise<void>((resolve) => {
      // Node closes idle connections at once. The error of a server that does not listen changes nothing.
      this.#server.close(() => resolve());
    }).then(() => closed.abort());
    const after = (ms: number, work: () => void): Promise<void> =>
      systemClock.sleep(ms, closed.signal).then(work, () => {});
    void after(Math.min(SILENT_MS, withinMs), () => this.#closeSilent());
    void after(withinMs, () => this.#server.closeAllConnections());
    while (!closed.signal.aborted) await after(SWEEP_MS, () => this.#server.closeIdleConnections());
    await isClosed;
  }

  /** Node takes a connection without a byte for one whose request has begun. */
  #closeSilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}
