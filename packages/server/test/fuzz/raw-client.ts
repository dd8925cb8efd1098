import { connect, type Socket } from 'node:net';

/** An answer of a server. */
export interface RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const HEAD_END = '\r\n\r\n';

/** Sends bytes to a port, whether they are HTTP or not, and reads the answers. One after the other. */
export class RawClient {
  readonly #port: number;
  #socket: Socket | undefined;
  #received = '';
  #changed: () => void = () => {};

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Resolves with the answer to a request, or with undefined if the server ends the connection without one.
   *
   * @param ends - whether nothing follows on this connection
   */
  async exchange(bytes: Buffer, ends: boolean): Promise<RawAnswer | undefined> {
    const socket = this.#open();
    socket.write(bytes);
    if (ends) socket.end();
    for (;;) {
      const answer = this.#take(socket.destroyed);
      if (answer || socket.destroyed) {
        if (ends || answer === undefined || answer.closes) this.close();
        return answer;
      }
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#received = '';
  }

  #open(): Socket {
    if (this.#socket && !this.#socket.destroyed) return this.#socket;
    this.#received = '';
    const socket = connect({ port: this.#port, host: '127.0.0.1' });
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      this.#received += chunk;
      this.#changed();
    });
    // A server may cut off what it has answered.
    socket.on('error', () => {});
    socket.on('close', () => this.#changed());
    this.#socket = socket;
    return socket;
  }

  /** Takes one answer from what was received, if all of it is there. */
  #take(isOver: boolean): (RawAnswer & { readonly closes: boolean }) | undefined {
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const head = this.#received.slice(0, end);
    const status = Number(head.slice(9, 12));
    if (status < 200) {
      this.#received = this.#received.slice(end + HEAD_END.length);
      return this.#take(isOver);
    }
    const rest = this.#received.slice(end + HEAD_END.length);
    const length = fieldOf(head, 'content-length');
    const isChunked = fieldOf(head, 'transfer-encoding') === 'chunked';
    const body = status === 204 ? '' : isChunked ? chunksOf(rest) : rest.slice(0, Number(length ?? 0));
    if (body === undefined || (!isChunked && rest.length < Number(status === 204 ? 0 : (length ?? 0)) && !isOver))
      return undefined;
    const used = isChunked ? rest.indexOf('0\r\n\r\n') + 5 : body.length;
    this.#received = rest.slice(used);
    return { status, type: fieldOf(head, 'content-type') ?? '', body, closes: fieldOf(head, 'connection') === 'close' };
  }
}

function fieldOf(head: string, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: *([^\\r\\n]*)`, 'i').exec(head)?.[1];
}

function chunksOf(text: string): string | undefined {
  return text.includes('0\r\n\r\n') ? text : undefined;
}
