import type { Socket } from 'node:net';

/** Calls `read` with each line that comes from a socket, and destroys a socket whose line cannot be read. */
export function eachLine(socket: Socket, read: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    let from = 0;
    try {
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        const line = rest === '' ? text.slice(from, end) : rest + text.slice(from, end);
        rest = '';
        from = end + 1;
        read(line);
      }
    } catch (error) {
      socket.destroy(error as Error);
      return;
    }
    rest += text.slice(from);
  });
}
