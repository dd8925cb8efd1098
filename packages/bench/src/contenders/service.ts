import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MeasuredProgram } from '../measured-program.js';
import { PROTOCOL } from '../rate-limit-client.js';

/** Each policy counts by address. Nobody reaches the first limit, and nobody passes the second. */
const POLICIES = `version: 1
policies:
  open: { limits: [{ limit: 1000000000, window: 1h }] }
  shut: { limits: [{ limit: 0, window: 1h }] }
`;

/** The decision service as users start it, over memory. */
interface StartedService {
  readonly program: MeasuredProgram;
  readonly ports: { readonly traffic: number; readonly grpc: number };
  end(): Promise<void>;
}

export async function startService(): Promise<StartedService> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const file = join(folder, 'policies.yaml');
  writeFileSync(file, POLICIES);
  const root = dirname(createRequire(import.meta.url).resolve('@sluice/server/package.json'));
  const ports = ['--port', '0', '--grpc-port', '0', '--admin-port', '0'];
  const program = new MeasuredProgram([join(root, 'dist/esm/main.js'), file, ...ports]);
  const end = async (): Promise<void> => {
    await program.end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { program, ports: await program.line(portsIn), end };
  } catch (error) {
    await end();
    throw error;
  }
}

function portsIn(line: string): StartedService['ports'] | undefined {
  if (!line.startsWith('{')) return undefined;
  const { msg, ports } = JSON.parse(line) as { readonly msg: string; readonly ports?: StartedService['ports'] };
  return msg === 'ready' ? ports : undefined;
}

/** Answers every request by a status and these fields, as little as a service of Node.js can do. */
const BARE = `import { createServer } from 'node:http';
const fields = JSON.parse(process.argv[1]);
const server = createServer((request, response) => { response.writeHead(204, fields); response.end(); });
server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

/** Answers every call by the same message. */
const BARE_GRPC = `import { Server, ServerCredentials } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
const [protocol, answer] = process.argv.slice(1);
const service = loadSync(protocol, { enums: String })['envoy.service.ratelimit.v3.RateLimitService'];
const message = JSON.parse(answer);
const server = new Server();
server.addService(service, { ShouldRateLimit: (call, done) => done(null, message) });
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => console.log(port));`;

interface BareServer {
  readonly program: MeasuredProgram;
  readonly port: number;
}

export const startBareServer = (fields: Readonly<Record<string, string>>): Promise<BareServer> =>
  startBare(BARE, JSON.stringify(fields));

export const startBareGrpc = (answer: object): Promise<BareServer> =>
  startBare(BARE_GRPC, PROTOCOL, JSON.stringify(answer));

async function startBare(text: string, ...args: readonly string[]): Promise<BareServer> {
  const program = new MeasuredProgram(['--input-type=module', '-e', text, ...args]);
  return { program, port: await program.line((line) => (/^\d+$/.test(line) ? Number(line) : undefined)) };
}
