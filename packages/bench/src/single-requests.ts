import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fieldsOf } from './contenders/http/serve.js';

/** Sends requests to a server of this machine one by one, over one connection, with as little as possible in between. */
export class SingleRequests {
  readonly #socket: Socket;
  #received = '';
  #requests = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(port: number): Promise<SingleRequests> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    socket.setEncoding('latin1');
    return new SingleRequests(socket);
  }

  /** Sends the request of a new client. Resolves with the microseconds until its response is there. */
  async send(): Promise<number> {
    this.#requests += 1;
    this.#received = '';
    const fields = Object.entries(fieldsOf('address', this.#requests)).map(([name, value]) => `${name}: ${value}\r\n`);
    const startMs = performance.now();
    this.#socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\n${fields.join('')}\r\n`);
    while (!isWhole(this.#received)) {
      const [text] = await once(this.#socket, 'data');
      this.#received += text;
    }
    const tookUs = 1_000 * (performance.now() - startMs);
    if (!this.#received.startsWith('HTTP/1.1 200 ')) throw new Error(`The response was ${this.#received}`);
    return tookUs;
  }

  close(): void {
    this.#socket.destroy();
  }
}

function isWhole(text: string): boolean {
  const length = /^content-length: (\d+)\r$/im.exec(text)?.[1];
  const bodyStart = text.indexOf('\r\n\r\n') + 4;
  return length !== undefined && bodyStart >= 4 && text.length - bodyStart >= Number(length);
}
