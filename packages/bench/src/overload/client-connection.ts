import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/**
 * A client's connection that stays. It carries one request at a time. It costs a fraction of `node:http`'s client, so that
 * one process can send more than the measured server can answer.
 */
export class ClientConnection {
  readonly #socket: Socket;
  #received = '';
  #answered: ((status: number | undefined) => void) | undefined;
  /** Resolves when the server has taken the connection; rejects if it does not. */
  readonly opened: Promise<unknown>;
  isOpen = true;

  constructor(port: number, onEnd: (connection: ClientConnection) => void) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.opened = once(this.#socket, 'connect');
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#receive(text));
    // An error is followed by the end, which tells the one who waits for an answer.
    this.opened.catch(() => {});
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.isOpen = false;
      onEnd(this);
      this.#answer(undefined);
    });
  }

  /** @param answered - is called with the status of the answer; undefined if there will be none */
  send(request: string, answered: (status: number | undefined) => void): void {
    this.#answered = answered;
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(text: string): void {
    this.#received += text;
    const endOfHead = this.#received.indexOf(END_OF_HEAD);
    if (endOfHead < 0) return;
    const head = this.#received.slice(0, endOfHead);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < endOfHead + END_OF_HEAD.length + length) return;
    this.#received = '';
    if (/\r\nconnection: *close/i.test(head)) {
      this.isOpen = false;
      this.#socket.destroy();
    }
    this.#answer(Number(head.slice(9, 12)));
  }

  #answer(status: number | undefined): void {
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(status);
  }
}
