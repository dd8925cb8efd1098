import { Agent, type OutgoingHttpHeaders, request } from 'node:http';

/** A request of a test. */
export interface Asked {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** The address that the connection comes from. All addresses of 127.0.0.0/8 are this machine. */
  readonly from?: string;
}

/** What came back. */
export interface Answered {
  readonly status: number;
  /** The names as the server wrote them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Keeps connections open: use it for many requests, and let the server end them. */
const agent = new Agent({ keepAlive: true });

/** Sends a request to a port of this machine. */
export function ask(port: number, path: string, { method = 'GET', headers = {}, from }: Asked = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers,
        agent: from === undefined ? agent : false,
        ...(from !== undefined && { localAddress: from }),
      },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          const { rawHeaders, statusCode = 0 } = response;
          const pairs = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? '']] : []));
          resolve({ status: statusCode, headers: Object.fromEntries(pairs), body });
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}
