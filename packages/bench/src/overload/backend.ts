import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { randomOf } from '../random.js';
import { exponentialWork } from './exponential.js';

const SERVERS = 5;
const SERVICE_MS = 20;

/** How much slower all become by each further request, as a database under too many queries. */
const SLOWDOWN = 0.02;

/** Serves requests by five servers with one queue. A request is one byte, and so is its answer, as the requests are all alike. */
export async function serveBackend(): Promise<number> {
  const drawMs = exponentialWork(SERVICE_MS, randomOf(5));
  const waiting: Socket[] = [];
  let busy = 0;
  const serve = (socket: Socket): void => {
    busy += 1;
    const slowdown = 1 + SLOWDOWN * (busy + waiting.length - SERVERS);
    setTimeout(() => {
      busy -= 1;
      socket.write('.');
      const next = waiting.shift();
      if (next) serve(next);
    }, drawMs() * Math.max(1, slowdown));
  };
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (requests) => {
      for (let i = 0; i < requests.length; i += 1) {
        if (busy < SERVERS) serve(socket);
        else waiting.push(socket);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Connects a process with the servers behind. Its requests share one connection, as those of many database clients do. */
export async function connectBackend(port: number): Promise<() => Promise<void>> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  // All requests are alike, so which of them an answer belongs to does not matter.
  const asked: (() => void)[] = [];
  socket.on('data', (answers) => {
    for (let i = 0; i < answers.length; i += 1) asked.shift()?.();
  });
  return () =>
    new Promise((resolve) => {
      asked.push(resolve);
      socket.write('.');
    });
}
