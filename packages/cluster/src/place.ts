import cluster from 'node:cluster';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkOneOf, optionError } from '@sluice/core/values';

/** What a process does: the primary keeps the counters, and the workers ask it. */
export type Role = 'primary' | 'worker';

/** What a process is, and which other ones belong to it. */
interface Place {
  readonly role: Role;
  /** The same in all processes that count together, and in no others of this user. */
  readonly group: string;
}

/** What a process knows of itself. */
interface Self {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly ppid: number;
  /** Whether `node:cluster` has started it. */
  readonly isWorker: boolean;
}

/** The longest path of a socket on every system: macOS has 104 bytes, with the one that ends it. */
const LONGEST_PATH = 103;

/** The bits of a folder's mode that let others in. */
const OF_OTHERS = 0o077;

/**
 * Finds out what this process is. Instances of PM2 have its daemon as their parent, which runs no code of the application: so instance 0 is
 * their primary. Any other process that `node:cluster` has not started is a primary, also if it has no workers.
 *
 * @throws SluiceError `SLUICE_OPTION` if PM2 does not say which instance this is
 */
export function placeOf({ env, pid, ppid, isWorker }: Self): Place {
  const { pm_id, exec_mode, instances, NODE_APP_INSTANCE: instance, PM2_HOME, namespace, name } = env;
  // A program of one instance in PM2's fork mode may use node:cluster itself, and its workers have the variables of PM2, too.
  if (pm_id === undefined || (exec_mode === 'fork_mode' && !(Number(instances) > 1))) {
    return isWorker ? { role: 'worker', group: `pid ${ppid}` } : { role: 'primary', group: `pid ${pid}` };
  }
  if (instance === undefined || instance === '')
    throw optionError('role', "must be given if PM2's `instance_var` is not NODE_APP_INSTANCE", undefined);
  const group = `pm2 ${JSON.stringify([PM2_HOME, namespace, name])}`;
  return { role: instance === '0' ? 'primary' : 'worker', group };
}

/** What the options say about the place of a process. */
interface GivenPlace {
  readonly name: string;
  readonly role?: Role;
  readonly channel?: string;
}

/**
 * Returns what this process is, and the path of the socket by which it asks or is asked: as the options say, and otherwise as it finds out.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function placeIn({ name, role, channel }: GivenPlace): { readonly role: Role; readonly channel: string } {
  if (role !== undefined) {
    if (channel === undefined) throw optionError('channel', 'must be given together with `role`', channel);
    return { role: checkOneOf(role, 'role', ['primary', 'worker'] as const), channel: checkChannel(channel) };
  }
  const { env, pid, ppid } = process;
  const found = placeOf({ env, pid, ppid, isWorker: cluster.isWorker });
  return { role: found.role, channel: channel === undefined ? channelOf(found.group, name) : checkChannel(channel) };
}

/**
 * Returns the path of the socket for the stores with this name in a group of processes. Nobody else can open it: its folder belongs to this
 * user alone.
 *
 * @throws SluiceError `SLUICE_OPTION` if the folder belongs to somebody else, or cannot be made
 */
function channelOf(group: string, name: string): string {
  const file = createHash('sha256')
    .update(JSON.stringify([group, name]))
    .digest('hex')
    .slice(0, 24);
  if (process.platform === 'win32') return `\\\\.\\pipe\\sluice-${file}`;
  return checkChannel(join(privateFolder(), file));
}

/**
 * Checks the path of a socket.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
function checkChannel(path: unknown): string {
  if (typeof path === 'string' && path !== '' && !path.includes('\0') && Buffer.byteLength(path) <= LONGEST_PATH)
    return path;
  throw optionError('channel', `must be the path of a socket, of at most ${LONGEST_PATH} bytes`, path);
}

/** A folder that only this user may enter. Anybody may have made one of this name before. */
function privateFolder(): string {
  const uid = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `sluice-cluster-${uid}`);
  makeFolder(folder);
  const found = lstatSync(folder);
  if (found.isDirectory() && found.uid === uid && (found.mode & OF_OTHERS) === 0) return folder;
  throw optionError('channel', `must be given, because others can use ${folder}`, undefined);
}

/** A container may have no disk that can be written. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const why = (error as Error).message;
    throw optionError('channel', `must be given, because its folder cannot be made (${why})`, undefined);
  }
}

/** Returns what tells the socket at a path from any other that was or will be there; undefined if there is none. */
export function socketAt(path: string): string | undefined {
  // A pipe of Windows ends with its process.
  if (process.platform === 'win32') return undefined;
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.isSocket() ? `${found.dev}:${found.ino}:${found.ctimeNs}` : undefined;
}

/** Removes this socket from a path. Another one that has taken its place stays, and so does anything else. */
export function removeSocket(path: string, socket: string | undefined): void {
  if (socket !== undefined && socketAt(path) === socket) rmSync(path, { force: true });
}
