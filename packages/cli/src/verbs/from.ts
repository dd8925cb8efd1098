import { mistakeText, readPolicyFile } from '@sluice/config';
import { type Command, Option } from 'commander';
import { withAddressLimits } from '../from/address-limits.js';
import { type Conversion, type Note, notesOf } from '../from/conversion.js';
import { FORMATS, type Format } from '../from/convert.js';
import { convertInput } from '../from/convert-input.js';
import { writePolicyFile } from '../from/write-policy-file.js';
import { nameOf } from '../input.js';
import type { Io } from '../io.js';
import { writeOutput } from '../output-file.js';
import { checkOf, type Program, programOption } from '../policy/program-check.js';
import { counted } from '../terminal/counted.js';
import { printable } from '../terminal/printable.js';

interface FromOptions {
  readonly format?: Format;
  readonly output?: string;
  readonly json?: true;
  readonly for?: Program;
}

const EXAMPLES = `
Reads limit_req and limit_conn of nginx with includes and maps, rate-limiting of Kong (kong.yml, decK), the
rules of envoyproxy/ratelimit, and Envoy's local rate limit. Comments in the result say where it differs.

Examples:
  sluice from /etc/nginx/nginx.conf > sluice.yaml
  sluice from kong.yml --output sluice.yaml
`;

/** `sluice from`: a policy file that decides like the configuration of another product. */
export function addFrom(program: Command, io: Io): void {
  program
    .command('from')
    .description('convert limits of nginx, Kong or Envoy into a policy file')
    .argument('<file>', 'the configuration, or - for the standard input')
    .addOption(new Option('--format <format>', 'what it is; default: told by the text').choices(FORMATS))
    .option('-o, --output <file>', 'write the policy file there; default: the standard output')
    .option('--json', 'print the policy file and the notes as JSON')
    .addOption(programOption())
    .addHelpText('after', EXAMPLES)
    .action((path: string, options: FromOptions) => from(path, options, io));
}

async function from(path: string, { format, output, json, for: program }: FromOptions, io: Io): Promise<void> {
  const conversion = withAddressLimits(await convertInput(path, io, format));
  const policyFile = writePolicyFile(conversion, nameOf(path));
  const leftOut = notesOf(conversion).filter(({ kind }) => kind === 'left out');
  if (output !== undefined) await writeOutput(output, policyFile);
  if (json) io.stdout.write(`${JSON.stringify({ policyFile, notes: notesOf(conversion) }, undefined, 2)}\n`);
  else if (output === undefined) io.stdout.write(policyFile);
  io.stderr.write(summaryOf(conversion, leftOut));
  const { mistakes = [] } = readPolicyFile(policyFile, { origin: output ?? 'the policy file', ...checkOf(program) });
  for (const mistake of mistakes) io.stderr.write(`left to correct: ${printable(mistakeText(mistake))}\n`);
  if (leftOut.length > 0 || mistakes.length > 0) io.exitCode = 1;
}

function summaryOf({ product, policies }: Conversion, leftOut: readonly Note[]): string {
  const limits = policies.reduce((sum, policy) => sum + policy.limits.length, 0);
  const converted = `${product}: ${counted(policies.length, 'policy')} with ${counted(limits, 'limit')}`;
  if (leftOut.length === 0) return `${converted}. Everything was converted.\n`;
  return `${converted}. ${counted(leftOut.length, 'thing')} ${leftOut.length === 1 ? 'was' : 'were'} left out: see the comments.\n`;
}
