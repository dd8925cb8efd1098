import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MeasuredProgram } from '../measured-program.js';

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

/** Answers every request by a status alone, as little as a service of Node.js can do. */
const BARE = `import { createServer } from 'node:http';
const server = createServer((request, response) => { response.writeHead(204); response.end(); });
server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

interface BareServer {
  readonly program: MeasuredProgram;
  readonly port: number;
}

export async function startBareServer(): Promise<BareServer> {
  const program = new MeasuredProgram(['--input-type=module', '-e', BARE]);
  return { program, port: await program.line((line) => (/^\d+$/.test(line) ? Number(line) : undefined)) };
}
