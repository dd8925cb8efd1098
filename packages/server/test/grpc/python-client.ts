import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import type { JsonAnswer } from './answers.js';
import { OFFICIAL_PROTOS } from './official-client.js';
import { protoFiles } from './proto-imports.js';

const PROTOC = debianProgram('protoc');
const PYTHON = debianProgram('python3-grpcio');

/** A client in Python: the messages are protoc's own output for Envoy's published files, the call is gRPC's C core. */
export class PythonClient {
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-python-'));
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;

  constructor(port: number) {
    this.#writeModules();
    const args = [join(__dirname, 'rls_client.py'), this.#folder, `127.0.0.1:${port}`];
    this.#process = spawn(PYTHON, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface(this.#process.stdout);
  }

  #writeModules(): void {
    const wellKnown = join(this.#folder, 'well-known.pb');
    writeFileSync(wellKnown, execFileSync(PYTHON, [join(__dirname, 'well_known_files.py')]));
    const folders = OFFICIAL_PROTOS.map((folder) => `-I${folder}`);
    const files = protoFiles('envoy/service/ratelimit/v3/rls.proto', OFFICIAL_PROTOS);
    const args = [`--descriptor_set_in=${wellKnown}`, ...folders, `--python_out=${this.#folder}`, ...files];
    execFileSync(PROTOC, args, { stdio: 'pipe' });
  }

  /** @param request - in protobuf's JSON form */
  async call(request: object): Promise<JsonAnswer> {
    const line = once(this.#lines, 'line');
    this.#process.stdin.write(`${JSON.stringify(request)}\n`);
    return JSON.parse(((await line) as [string])[0]) as JsonAnswer;
  }

  async close(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.stdin.end();
    await exit;
    rmSync(this.#folder, { recursive: true });
  }
}
