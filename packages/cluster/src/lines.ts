import { connect, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

/** As much as a stream of Node.js reads at once. */
const READ_BYTES = 65_536;

/** Gives the lines of what comes from a socket to `read`, and destroys a socket whose line cannot be read. */
class Lines {
  readonly #socket: Socket;
  readonly #read: (line: string) => void;
  #rest = '';

  constructor(socket: Socket, read: (line: string) => void) {
    this.#socket = socket;
    this.#read = read;
  }

  add(text: string): void {
    let from = 0;
    try {
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        const line = this.#rest === '' ? text.slice(from, end) : this.#rest + text.slice(from, end);
        this.#rest = '';
        from = end + 1;
        this.#read(line);
      }
    } catch (error) {
      this.#socket.destroy(error as Error);
      return;
    }
    this.#rest += text.slice(from);
  }
}

/** Calls `read` with each line that comes from a socket, and destroys a socket whose line cannot be read. */
export function eachLine(socket: Socket, read: (line: string) => void): void {
  const lines = new Lines(socket, read);
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => lines.add(text));
}

/**
 * Connects to a socket, and does the same with what comes from it. All is read into one buffer, where a stream makes a new one for each
 * reading.
 */
export function connectLines(path: string, read: (line: string) => void): Socket {
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const callback = (bytes: number): boolean => {
    lines.add(decoder.write(buffer.subarray(0, bytes)));
    return true;
  };
  const socket = connect({ path, onread: { buffer, callback } });
  const lines = new Lines(socket, read);
  return socket;
}
