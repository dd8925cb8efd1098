import type { Command } from 'commander';
import type { Io } from '../io.js';
import { askForKeys, type KeyAnswer, type KeyOptions, withKeys } from '../server/ask-for-keys.js';
import { blockText, type ShownBlock } from '../server/block-text.js';
import { serverVerb } from '../server/server-verb.js';
import { printable } from '../terminal/printable.js';
import { spanText } from '../terminal/span-text.js';
import { table } from '../terminal/table.js';

interface Limit {
  readonly limit: string;
  readonly tier?: string;
  readonly quota: number | 'unlimited';
  readonly used: number;
  readonly remaining: number | 'unlimited';
  readonly resetAfterMs: number | 'never';
  readonly retryAfterMs: number | 'never';
}

interface Answer extends KeyAnswer {
  readonly block?: ShownBlock;
  readonly refused?: { readonly status: number; readonly detail: string };
  readonly note?: string;
  readonly limits: readonly Limit[];
}

/** `sluice inspect`: what the limits of a running service say about keys now. */
export function addInspect(program: Command, io: Io): void {
  withKeys(serverVerb(program, 'inspect', 'show what a running service says about keys now'))
    .option('--tier <name>', 'the tier, if the policy takes it from code')
    .action(async (policy: string, keys: string[], options: KeyOptions & { readonly tier?: string }) => {
      const input = options.tier === undefined ? {} : { tier: options.tier };
      await askForKeys<Answer>('inspect', { policy, keys, options, input }, answerText, io);
    });
}

function answerText({ key, block, refused, note, limits }: Answer): string {
  const lines = [
    `key ${key}`,
    ...(refused ? [`  refused with ${refused.status}: ${refused.detail}`] : []),
    ...(block ? [`  ${blockText(block)}`] : []),
    ...(note === undefined ? [] : [`  ${note}`]),
    ...(limits.length === 0 ? [] : limitTable(limits).map((line) => `  ${line}`)),
  ];
  return `${printable(lines.join('\n'))}\n`;
}

function limitTable(limits: readonly Limit[]): readonly string[] {
  const rows = limits.map(({ limit, tier = '', quota, used, remaining, resetAfterMs, retryAfterMs }) => [
    limit,
    tier,
    ...[quota, used, remaining].map(String),
    spanText(resetAfterMs),
    spanText(retryAfterMs),
  ]);
  return table(['limit', 'tier', ' quota', ' used', ' left', ' full in', ' allowed in'], rows);
}
