// Why it is so: docs/why/memory-store.md

import { FOREVER_MS } from '../../algorithms/arithmetic/block.js';
import type { Layout } from '../../algorithms/kernel.js';
import { type KeyState, newKeyState } from '../../algorithms/key-state.js';
import { optionError } from '../../values/error.js';
import type { BegunBlock } from '../blocks.js';
import type { MadeChange, OperationRecord } from '../operation-record.js';
import type { ExpiringMap } from './expiring-map.js';
import type { MemoryBlocks } from './memory-blocks.js';
import { MemoryStore, type MemoryStoreOptions } from './memory-store.js';
import type { PolicyBlocks } from './policy-blocks.js';
import { KeyCursor, type KeyTable } from './table/key-table.js';
import { AS_OBJECT, type Exhaustion } from './table/rows.js';

/** The form of a snapshot. Use another number if it changes, or the form of a state in the table. */
const VERSION = 1;

/** A page of the table has this many rows: where there is no page, none of them is there. */
const ROWS_IN_PAGE = 1024;

/** What precedes the numbers of a row: fingerprint, expiry, exhaustion, end of the block, last admission, strikes, and how many numbers follow. */
const HEAD = 8;

/** How many bytes say how long the text is, which comes before the numbers. */
const LENGTH_BYTES = 4;

/** A value that is kept for a while under an id. */
type Kept = readonly [id: string, value: unknown, untilMs: number];

/** A state that is no list of numbers, and where it is. */
type ObjectRow = readonly [high: number, low: number, expiresMs: number, exhaustion: Exhaustion, state: KeyState];

/** A block that was set by hand: its key, its ends by the names of limits, and what was written beside it. */
type HeldBlock = readonly [
  key: string,
  ends: readonly (readonly [name: string, untilMs: number])[],
  beside: { readonly reason?: string; readonly text?: string },
];

/** The text of a snapshot: everything but the numbers of the rows. */
interface SnapshotText {
  readonly version: number;
  /** The store's time when it was made. */
  readonly atMs: number;
  /** Absent if the store has never had a limit. */
  readonly secret?: string | undefined;
  readonly factors: readonly number[];
  readonly objects: readonly ObjectRow[];
  readonly operations: readonly Kept[];
  readonly changes: readonly Kept[];
  readonly blocks: readonly (readonly [policy: string, held: readonly HeldBlock[], begun: readonly BegunBlock[]])[];
}

/** The numbers of a state, whatever its algorithm is: the table does not know that. */
interface PlainState {
  numbers: number[];
}

/** Takes the numbers as they are. */
const PLAIN: Layout<PlainState> = {
  length: ({ numbers }) => numbers.length,
  read(state, numbers, from, length) {
    state.numbers = Array.from(numbers.subarray(from, from + length));
  },
  write(state, numbers, from) {
    numbers.set(state.numbers, from);
  },
};

/** What a store remembers is found at its blocks. */
const partsOf = (store: MemoryStore): MemoryBlocks => store.blocks as MemoryBlocks;

/**
 * Returns everything that a store remembers as bytes: states, blocks, operations and corrections, but none that have expired. `restoreSnapshot`
 * makes a store of them. They contain secrets: whoever can read them can find keys that are confused with others.
 *
 * A snapshot takes about 90 bytes for each key under most limits. Making it stops the process: it is meant for its end.
 *
 * @throws SluiceError `SLUICE_CLOSED`
 * @example writeFileSync('limits.snapshot', snapshotOf(store));
 */
export function snapshotOf(store: MemoryStore): Uint8Array {
  const { table, namespaces, operations } = partsOf(store);
  const atMs = table.clock.now();
  const { secret, factors } = table.fingerprints;
  const { numbers, objects } = rowsOf(table, atMs);
  const text: SnapshotText = {
    version: VERSION,
    atMs,
    secret,
    factors: [...factors],
    objects,
    operations: keptIn(operations.records, atMs),
    changes: keptIn(operations.changes, atMs),
    blocks: [...namespaces.blocks].map(([policy, blocks]) => [
      policy,
      heldIn(blocks, atMs),
      begunIn(policy, blocks, atMs),
    ]),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(text));
  const snapshot = new Uint8Array(LENGTH_BYTES + bytes.length + 8 * numbers.length);
  new DataView(snapshot.buffer).setUint32(0, bytes.length);
  snapshot.set(bytes, LENGTH_BYTES);
  snapshot.set(new Uint8Array(Float64Array.from(numbers).buffer), LENGTH_BYTES + bytes.length);
  return snapshot;
}

/** A store that was made of a snapshot. */
export interface RestoredStore {
  /** The store. */
  readonly store: MemoryStore;
  /** The time of the store of which the snapshot was made. What has expired since then is left out. */
  readonly atMs: number;
}

/**
 * Makes a store that remembers what a snapshot has. It decides as the store of which the snapshot was made would have decided at this time, had nobody
 * asked it meanwhile. If it has room for fewer keys, it forgets as a full store does.
 *
 * @param snapshot - what `snapshotOf` has returned, on a machine of the same kind
 * @param options - those of the new store
 * @throws SluiceError `SLUICE_OPTION` if the bytes are no snapshot, or one of another version
 * @example const { store } = restoreSnapshot(readFileSync('limits.snapshot'), { maxKeys: 1_000_000 });
 */
export function restoreSnapshot(snapshot: Uint8Array, options?: MemoryStoreOptions): RestoredStore {
  const { text, numbers } = readSnapshot(snapshot);
  const store = new MemoryStore(options);
  const { table, namespaces, operations } = partsOf(store);
  const nowMs = table.clock.now();
  table.fingerprints.secret = text.secret;
  table.fingerprints.factors.set(text.factors);
  restoreRows(table, numbers, text.objects, nowMs);
  const { records, changes } = operations;
  for (const [id, value, untilMs] of text.operations) records.remember(id, value as OperationRecord, untilMs, nowMs);
  for (const [id, value, untilMs] of text.changes) changes.remember(id, value as MadeChange, untilMs, nowMs);
  for (const [policy, held, begun] of text.blocks) {
    const blocks = namespaces.blocksOf(policy);
    for (const block of held) restoreHeld(blocks, policy, block, nowMs);
    for (const { hash, untilMs, strikes } of begun) blocks.begun(hash, untilMs, strikes);
  }
  table.takeEvicted();
  return { store, atMs: text.atMs };
}

function readSnapshot(snapshot: Uint8Array): { readonly text: SnapshotText; readonly numbers: Float64Array } {
  try {
    const length = new DataView(snapshot.buffer, snapshot.byteOffset).getUint32(0);
    const from = LENGTH_BYTES + length;
    const text = JSON.parse(new TextDecoder().decode(snapshot.subarray(LENGTH_BYTES, from))) as SnapshotText;
    if (text.version !== VERSION) throw new Error(`it has version ${text.version}`);
    // A copy, because its numbers need not begin where an array of them may. The `slice` of a Buffer makes none.
    return { text, numbers: new Float64Array(new Uint8Array(snapshot.subarray(from)).buffer) };
  } catch (error) {
    throw Object.assign(
      optionError('snapshot', `must be what snapshotOf has returned in this version of Sluice`, snapshot),
      { cause: error },
    );
  }
}

/** Returns the rows that have not expired: the numbers of one after the other, and those that are objects. */
function rowsOf(table: KeyTable, nowMs: number): { readonly numbers: number[]; readonly objects: ObjectRow[] } {
  const { rows, codec } = table;
  const numbers: number[] = [];
  const objects: ObjectRow[] = [];
  let left = table.size;
  for (let row = 1; left > 0; row += 1) {
    const page = rows.page(row);
    if (page === undefined) {
      row += ROWS_IN_PAGE - 1 - (row % ROWS_IN_PAGE);
      continue;
    }
    // Every row that is taken is in a wheel.
    if (rows.slot(row) === 0) continue;
    left -= 1;
    const expiresMs = rows.expiresMs(row);
    if (expiresMs <= nowMs) continue;
    const [high, low] = [rows.high(row), rows.low(row)];
    const exhaustion = rows.exhaustedUntilMs(row) || -rows.rankAt(row, nowMs);
    const state = codec.read(page, row, PLAIN, newKeyState({ numbers: [] }));
    if ((rows.marks(row) & AS_OBJECT) !== 0) {
      objects.push([high, low, expiresMs, exhaustion, state]);
    } else {
      const own = (state.state as PlainState).numbers;
      numbers.push(
        high,
        low,
        expiresMs,
        exhaustion,
        state.blockEndsMs,
        state.admittedMs,
        state.strikes,
        own.length,
        ...own,
      );
    }
  }
  return { numbers, objects };
}

function restoreRows(table: KeyTable, numbers: Float64Array, objects: readonly ObjectRow[], nowMs: number): void {
  const start = new Int32Array(4);
  const cursor = new KeyCursor();
  const write = (high: number, low: number, expiresMs: number, exhaustion: number, state: KeyState): void => {
    if (expiresMs <= nowMs) return;
    Object.assign(cursor, { high, low, row: 0, page: undefined });
    table.write(cursor, state, expiresMs, exhaustion, nowMs);
  };
  cursor.enter({ start, layout: PLAIN });
  for (let at = 0; at < numbers.length; ) {
    const [high, low, expiresMs, exhaustion, blockEndsMs, admittedMs, strikes, count] = numbers.subarray(
      at,
      at + HEAD,
    ) as unknown as [number, number, number, number, number, number, number, number];
    const state = newKeyState({ numbers: Array.from(numbers.subarray(at + HEAD, at + HEAD + count)) });
    write(high, low, expiresMs, exhaustion, Object.assign(state, { blockEndsMs, admittedMs, strikes }));
    at += HEAD + count;
  }
  cursor.enter({ start });
  for (const row of objects) write(...row);
}

function keptIn(map: ExpiringMap<unknown>, nowMs: number): Kept[] {
  return [...map.kept.values()]
    .filter(({ untilMs }) => untilMs > nowMs)
    .map(({ id, value, untilMs }) => [id, value, untilMs]);
}

function heldIn(blocks: PolicyBlocks, nowMs: number): HeldBlock[] {
  return [...blocks.held]
    .filter(([, { untilMs }]) => untilMs > nowMs)
    .map(([key, { ends, reason, text }]) => [
      key,
      [...ends],
      { ...(reason !== undefined && { reason }), ...(text !== undefined && { text }) },
    ]);
}

function begunIn(policy: string, blocks: PolicyBlocks, nowMs: number): BegunBlock[] {
  return [...blocks.list(nowMs)]
    .filter(({ by }) => by === 'limit')
    .map(({ hash, untilMs, strikes }) => ({
      policy,
      hash,
      untilMs: untilMs === 'forever' ? FOREVER_MS : untilMs,
      strikes,
    }));
}

function restoreHeld(blocks: PolicyBlocks, policy: string, [key, ends, beside]: HeldBlock, nowMs: number): void {
  for (const [name, untilMs] of ends) {
    if (untilMs <= nowMs) continue;
    const forMs = untilMs >= FOREVER_MS ? 'forever' : untilMs - nowMs;
    blocks.hold({ targets: [{ policy, name, key }], forMs, ...beside }, nowMs);
  }
}
