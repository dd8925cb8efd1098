import type { Command } from 'commander';
import type { Io } from '../io.js';
import { askForKeys, type KeyAnswer, type KeyOptions, withKeys } from '../server/ask-for-keys.js';
import { blockText, type ShownBlock } from '../server/block-text.js';
import { withReason } from '../server/reason-option.js';
import { serverVerb } from '../server/server-verb.js';
import { printable } from '../terminal/printable.js';

interface Options extends KeyOptions {
  readonly for: string;
  readonly reason: string;
  readonly reveal?: true;
}

interface Answer extends KeyAnswer {
  readonly block?: ShownBlock;
}

const EXAMPLES = `
Examples:
  sluice block login 203.0.113.7 --for 1h --reason 'flood of logins'
  sluice block api sha256:9f86d081… --for forever --reason scraping
  sluice block api - --for 1d --reason 'leaked keys' < keys.txt
`;

/** `sluice block`: refuses keys in all instances. */
export function addBlock(program: Command, io: Io): void {
  withReason(withKeys(serverVerb(program, 'block', 'refuse keys for some time, in all instances of a service')))
    .requiredOption('--for <time>', 'how long: 30s, 15m, 1h, 7d or forever')
    .option('--reveal', 'show the keys in the list of blocks, and not only their hashes')
    .addHelpText('after', EXAMPLES)
    .action(async (policy: string, keys: string[], options: Options) => {
      const input = { for: options.for, reason: options.reason, reveal: options.reveal === true };
      await askForKeys<Answer>('block', { policy, keys, options, input }, answerText, io);
    });
}

function answerText({ key, block }: Answer): string {
  return `key ${key}: ${block ? printable(blockText(block)) : 'blocked'}\n`;
}
