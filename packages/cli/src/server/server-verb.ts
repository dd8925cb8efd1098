import { type Command, Option } from 'commander';
import type { Io } from '../io.js';
import { AdminClient } from './admin-client.js';
import { serverToken } from './server-token.js';
import { webAddress } from './web-address.js';

/** Where the administration listens by default. */
const DEFAULT_SERVER = 'http://127.0.0.1:8082';

/** The options of every verb that asks a service. */
export interface ServerOptions {
  readonly server: URL;
  readonly tokenFile?: string;
  readonly json?: true;
}

/** Adds a verb that asks a decision service. */
export function serverVerb(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .addOption(
      new Option('--server <url>', 'the administration of the service')
        .argParser(serverUrl)
        .default(new URL(DEFAULT_SERVER), DEFAULT_SERVER),
    )
    .option('--token-file <file>', 'a file with the token; default: the variable SLUICE_TOKEN')
    .option('--json', 'print JSON');
}

/** Connects to the service of the options. */
export async function adminClient({ server, tokenFile }: Omit<ServerOptions, 'json'>, io: Io): Promise<AdminClient> {
  return new AdminClient(server, await serverToken(tokenFile, io));
}

/** Reads the address of a service. */
export const serverUrl: (text: string) => URL = webAddress('--server', DEFAULT_SERVER);
