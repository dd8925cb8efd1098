import { isIP } from 'node:net';
import { type ExplainedPolicy, explainPolicies, lineFinder } from '@sluice/config';
import { type Command, InvalidArgumentError } from 'commander';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { limitDocument } from '../openapi/limit-document.js';
import { DEFAULT_FILE, readPolicies } from '../policy/read-policies.js';
import { adminClient, serverUrl } from '../server/server-verb.js';
import { printable } from '../terminal/printable.js';
import { wrap } from '../terminal/wrap.js';
import { timeOption } from '../time-option.js';

interface Options {
  readonly policy?: string;
  readonly customer?: string;
  readonly request?: { readonly method: string; readonly url: string };
  readonly header?: Readonly<Record<string, string>>;
  readonly ip?: string;
  readonly at?: number;
  readonly server?: URL;
  readonly tokenFile?: string;
  readonly openapi?: true;
  readonly json?: true;
}

/** `sluice explain`: what a policy file does, in sentences, and which line decides each of them. */
export function addExplain(program: Command, io: Io): void {
  program
    .command('explain')
    .description('say in plain sentences what a policy file does, and which line decides it')
    .argument('[file]', `a policy file, or - for the standard input (default: ${DEFAULT_FILE})`)
    .option('--policy <name>', 'explain one policy')
    .option('--customer <key>', 'explain what holds for one customer, by the value of the key')
    .option('--request <request>', "explain what holds for one request: 'GET /v1/items'", requestOf)
    .option('-H, --header <field>', "a header field of the request: 'x-api-key: acme'; can be repeated", withHeader)
    .option('--ip <address>', 'the address from which the request comes', addressOf)
    .option(
      '--at <time>',
      'the time at which to look at overrides and rollouts: 2026-12-01T00:00:00Z (default: now)',
      timeOption,
    )
    .option('--server <url>', 'explain what a running service does now, instead of a file', serverUrl)
    .option('--token-file <file>', 'with --server: a file with the token; default: the variable SLUICE_TOKEN')
    .option('--openapi', 'print the limits and their refusals for the documentation of your API: OpenAPI 3.1, as JSON')
    .option('--json', 'print JSON')
    .action(async (path: string | undefined, options: Options) => {
      if (options.server) return explainService(path, { ...options, server: options.server }, io);
      if (options.tokenFile !== undefined) throw usageError('--token-file belongs to a service: add --server');
      const { name, text, file } = await readPolicies(path ?? DEFAULT_FILE, io);
      const { policy, customer, request, header, ip } = options;
      checkRequest(options);
      if (policy !== undefined && !file.policies.has(policy)) {
        throw usageError(`${name} has no policy ${policy}: it has ${[...file.policies.keys()].join(', ')}`);
      }
      const what = {
        nowMs: options.at ?? io.clock.now(),
        ...(policy !== undefined && { policy }),
        ...(customer !== undefined && { customer }),
      };
      if (options.openapi) {
        io.stdout.write(`${JSON.stringify(limitDocument(file, what), undefined, 2)}\n`);
        return;
      }
      const policies = explainPolicies(file, {
        ...what,
        ...(request && { request: { ...request, headers: header ?? {}, ip: ip ?? '127.0.0.1' } }),
      });
      const lineOf = lineFinder(text);
      if (options.json) writeJson(policies, lineOf, io);
      else writeText(policies, lineOf, name, io);
    });
}

/** What a service says of its policies. Its sentences have no lines, because a service does not keep the text of its file. */
async function explainService(
  path: string | undefined,
  options: Options & { readonly server: URL },
  io: Io,
): Promise<void> {
  if (path !== undefined) throw usageError('explain either a file, or a service with --server');
  if (options.openapi) throw usageError('--openapi reads a file: leave out --server');
  if (options.at !== undefined) throw usageError('a service says what holds now: leave out --at');
  checkRequest(options);
  const { policy, customer, request, header, ip } = options;
  const client = await adminClient(options, io);
  const answer = await client.ask<{ readonly policies: readonly ExplainedPolicy[] }>('explain', {
    ...(policy !== undefined && { policy }),
    ...(customer !== undefined && { customer }),
    ...(request && {
      request: { method: request.method, path: request.url, headers: header ?? {}, address: ip ?? '127.0.0.1' },
    }),
  });
  if (options.json) io.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
  else writeText(answer.policies, undefined, options.server.href, io);
}

function checkRequest({ request, header, ip, openapi }: Options): void {
  if (openapi && request !== undefined) throw usageError('--openapi describes policies: leave out --request');
  if (request !== undefined || (ip ?? header) === undefined) return;
  throw usageError("--header and --ip describe a request: add --request 'GET /'");
}

type LineFinder = ReturnType<typeof lineFinder>;

/** An unlimited limit has no worst case, and JSON has no Infinity: `most` is absent then. */
function writeJson(policies: readonly ExplainedPolicy[], lineOf: LineFinder, { stdout }: Io): void {
  const withLines = <S extends ExplainedPolicy['sentences'][number]>(sentences: readonly S[]) =>
    sentences.map((sentence) => ({ ...sentence, line: lineOf(sentence.path) }));
  const result = policies.map(({ policy, sentences, limits }) => ({
    policy,
    sentences: withLines(sentences),
    limits: withLines(limits),
  }));
  stdout.write(`${JSON.stringify({ policies: result }, undefined, 2)}\n`);
}

/** The line that decides stands before each sentence. */
const GUTTER = 6;

/** @param lineOf - finds the lines of sentences; undefined if there are none */
function writeText(
  policies: readonly ExplainedPolicy[],
  lineOf: LineFinder | undefined,
  file: string,
  { stdout }: Io,
): void {
  const { colors, isTTY, columns } = stdout;
  if (policies.length === 0) stdout.write(`No policy of ${printable(file)} is for this request.\n`);
  for (const [i, { policy, sentences, limits }] of policies.entries()) {
    const origin = `${lineOf ? 'lines of ' : ''}${printable(file)}`;
    const heading = `${colors.bold(printable(policy))}  ${colors.dim(i === 0 ? origin : '')}`;
    stdout.write(`${i === 0 ? '' : '\n'}${heading.trimEnd()}\n`);
    for (const { text, path, isWarning } of [...sentences, ...limits]) {
      const paint = isWarning ? colors.yellow : (line: string): string => line;
      const lines = (isTTY ? wrap(printable(text), columns - GUTTER - 2) : [printable(text)]).map(paint);
      const number = colors.dim(String(lineOf?.(path) ?? '').padStart(GUTTER));
      stdout.write(`${number}  ${lines.join(`\n${' '.repeat(GUTTER + 2)}`)}\n`);
    }
  }
}

function requestOf(text: string): Options['request'] {
  const match = /^([A-Za-z]+)\s+(\S+)(\s+HTTP\/\S+)?$/.exec(text.trim());
  if (!match?.[1] || !match[2]) throw new InvalidArgumentError("Write a method and a path: 'GET /v1/items'.");
  return { method: match[1].toUpperCase(), url: match[2] };
}

function withHeader(text: string, headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(0, colon)).trim().toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name))
    // An error of commander would repeat the text, which may be a key.
    throw usageError("--header: Write a name and a value: 'x-api-key: acme'.");
  const value = text.slice(colon + 1).trim();
  return { ...headers, [name]: Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value };
}

function addressOf(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('Write an IP address: 203.0.113.7 or 2001:db8::1.');
  return text;
}
