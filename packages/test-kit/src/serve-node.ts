import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of Node on a free port of the loopback interface. */
interface NodeServer {
  readonly url: string;
  readonly server: Server;
  /** Also ends connections that are open. */
  close(): Promise<void>;
}

/** Serves an application, as frameworks over Node's HTTP are served. */
export async function serveNode(app: RequestListener): Promise<NodeServer> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
