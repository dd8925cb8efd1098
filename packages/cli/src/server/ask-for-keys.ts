import type { Command } from 'commander';
import { CommandError } from '../exit-code.js';
import type { Io } from '../io.js';
import { givenKeys } from './given-keys.js';
import { adminClient, type ServerOptions } from './server-verb.js';

/** The options of every verb about keys. */
export interface KeyOptions extends ServerOptions {
  readonly part: readonly string[];
}

/** The members of every answer about a key. */
export interface KeyAnswer {
  /** The hash of the key, as audit lines and lists have it. */
  readonly key: string;
}

/** Adds the arguments that name a policy and keys of it. */
export function withKeys(verb: Command): Command {
  return verb
    .argument('<policy>', 'the name of a policy')
    .argument('[key...]', 'keys as customers send them, or - for lines of the standard input')
    .option(
      '--part <name=value>',
      'a part of one key, if the policy counts by several; can be repeated',
      (text, before: readonly string[]) => [...before, text],
      [],
    );
}

/**
 * Runs a verb for one key after another, and prints what came of each. If one fails, those before it are done, and are printed.
 *
 * @param input - what the verb needs besides the policy and the key
 * @returns all answers
 */
export async function askForKeys<Answer extends KeyAnswer>(
  verb: string,
  { policy, keys, options, input }: { policy: string; keys: readonly string[]; options: KeyOptions; input: object },
  print: (answer: Answer) => string,
  io: Io,
): Promise<readonly Answer[]> {
  const given = await givenKeys(keys, options.part, io);
  const client = await adminClient(options, io);
  const answers: Answer[] = [];
  try {
    for (const [i, key] of given.entries()) {
      const answer = await ofKey(i, given.length, () => client.ask<Answer>(verb, { policy, key, ...input }));
      answers.push(answer);
      if (!options.json) io.stdout.write(print(answer));
    }
  } finally {
    // Without a key that worked, an error says everything.
    if (options.json && answers.length > 0) io.stdout.write(`${JSON.stringify({ keys: answers }, undefined, 2)}\n`);
  }
  return answers;
}

/** Says which key it was by its place: a message should not have a key. */
async function ofKey<T>(i: number, count: number, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (count === 1 || !(error instanceof CommandError)) throw error;
    throw new CommandError(error.exitCode, `key ${i + 1} of ${count}: ${error.message}`, { cause: error });
  }
}
