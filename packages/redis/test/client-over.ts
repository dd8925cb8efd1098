import type { IoredisClient } from '../src/index.js';

/** The part of a client that sends commands. */
export type Commands = Pick<IoredisClient, 'call' | 'callBuffer'>;

/** What may stand between a store and the commands of a client. It gets each command, in upper case, and how to send it. */
export type Between = (
  command: string,
  args: (string | number | Buffer)[],
  send: IoredisClient['call'],
) => Promise<unknown>;

/** Returns a client that sends all commands of a store through `between`, whether it reads their replies as bytes or not. */
export function clientOver(client: Commands, between: Between, own: Partial<IoredisClient> = {}): IoredisClient {
  return {
    status: 'ready',
    isCluster: false,
    call: (command, args) => between(command.toUpperCase(), args, (...sent) => client.call(...sent)),
    callBuffer: (command, args) => between(command.toUpperCase(), args, (...sent) => client.callBuffer(...sent)),
    ...own,
  };
}

/** Returns a client of which every command gets the same kind of reply. */
export function clientAnswering(call: IoredisClient['call'], own: Partial<IoredisClient> = {}): IoredisClient {
  return { status: 'ready', isCluster: false, call, callBuffer: call, ...own };
}
