import type { Command } from 'commander';
import type { Io } from '../io.js';
import { withReason } from '../server/reason-option.js';
import { adminClient, type ServerOptions, serverVerb } from '../server/server-verb.js';

/** `sluice drain`: ends an instance without a failed request. */
export function addDrain(program: Command, io: Io): void {
  withReason(serverVerb(program, 'drain', 'end an instance without a failed request')).action(
    async (options: ServerOptions & { readonly reason: string }) => {
      const answer = await (await adminClient(options, io)).ask('drain', { reason: options.reason });
      io.stdout.write(
        options.json ? `${JSON.stringify(answer, undefined, 2)}\n` : 'The instance drains, and stops after that.\n',
      );
    },
  );
}
