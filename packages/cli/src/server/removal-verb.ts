import type { Command } from 'commander';
import type { Io } from '../io.js';
import { askForKeys, type KeyAnswer, type KeyOptions, withKeys } from './ask-for-keys.js';
import { withReason } from './reason-option.js';
import { serverVerb } from './server-verb.js';

interface Answer extends KeyAnswer {
  readonly found: boolean;
}

/** A verb that removes something from keys: what they have spent, or their blocks. */
interface Removal {
  readonly name: string;
  readonly description: string;
  /** The text for a key from which something was removed, and for one that had nothing. */
  readonly done: string;
  readonly nothing: string;
}

/** Adds a verb that removes something from keys. It ends with 1 if a key had nothing to remove, because the key may be wrong. */
export function removalVerb(program: Command, { name, description, done, nothing }: Removal, io: Io): void {
  withReason(withKeys(serverVerb(program, name, description))).action(
    async (policy: string, keys: string[], options: KeyOptions & { readonly reason: string }) => {
      const print = ({ key, found }: Answer): string => `key ${key}: ${found ? done : nothing}\n`;
      const input = { reason: options.reason };
      const answers = await askForKeys<Answer>(name, { policy, keys, options, input }, print, io);
      if (answers.some(({ found }) => !found)) io.exitCode = 1;
    },
  );
}
