import type { Command } from 'commander';
import type { Io } from '../io.js';
import { adminClient, type ServerOptions, serverVerb } from '../server/server-verb.js';
import { printable } from '../terminal/printable.js';
import { windowText } from '../terminal/span-text.js';
import { table } from '../terminal/table.js';

interface Answer {
  readonly ready: boolean;
  readonly degraded: readonly string[];
  readonly revision: string;
  readonly origin: string;
  readonly enforcement: { readonly mode: string };
  readonly lastReload: { readonly successful: boolean };
  readonly policies: readonly {
    readonly policy: string;
    readonly keys: readonly (readonly string[])[];
    readonly braked: boolean;
    readonly limits: readonly {
      readonly limit: string;
      readonly tier: string;
      readonly quota: number;
      readonly windowMs?: number;
      readonly enforce: number;
    }[];
  }[];
}

/** `sluice status`: what decides in an instance now. It ends with 1 if something is wrong. */
export function addStatus(program: Command, io: Io): void {
  serverVerb(program, 'status', 'show which policies decide in an instance now, and what is wrong').action(
    async (options: ServerOptions) => {
      const answer = await (await adminClient(options, io)).ask<Answer>('status', {});
      io.stdout.write(
        options.json ? `${JSON.stringify(answer, undefined, 2)}\n` : `${printable(answerText(answer))}\n`,
      );
      if (!answer.ready || answer.degraded.length > 0 || !answer.lastReload.successful) io.exitCode = 1;
    },
  );
}

function answerText({ ready, degraded, revision, origin, enforcement, lastReload, policies }: Answer): string {
  const rows = policies.flatMap(({ policy, keys, braked, limits }) =>
    limits.map(({ limit, tier, quota, windowMs, enforce }) => [
      policy,
      keys.map((names) => names.join('+') || 'everyone').join(' '),
      limit,
      tier,
      String(quota),
      windowMs === undefined ? '' : windowText(windowMs),
      braked ? 'braked' : `${Number((enforce * 100).toPrecision(4))}%`,
    ]),
  );
  return [
    `${ready ? 'ready' : 'not ready'}, enforcement ${enforcement.mode}, revision ${revision} of ${origin}`,
    ...degraded.map((reason) => `degraded: ${reason}`),
    ...(lastReload.successful ? [] : ['the newest file was rejected: see npx --no-install sluice reload']),
    ...table(['policy', 'keys', 'limit', 'tier', ' quota', ' window', ' enforced'], rows),
  ].join('\n');
}
