import type { ChanceSource } from '../world/chance.js';

/** Modules of Node that only compute. */
const AS_THEY_ARE = ['assert/strict', 'assert', 'buffer', 'events', 'querystring', 'util', 'string_decoder', 'url'];

/** The modules of Node that a process gets: those that only compute, and our own form of those that show time, chance or the outside. */
export function nodeModules(ownProcess: object, performance: object, chance: ChanceSource): (id: string) => unknown {
  const own: Readonly<Record<string, unknown>> = {
    process: ownProcess,
    crypto: cryptoOf(chance),
    diagnostics_channel: channelsOfAProcess(),
    perf_hooks: { performance, monitorEventLoopDelay: absent('perf_hooks.monitorEventLoopDelay') },
    os: { endianness: () => 'LE' },
  };
  const loaded = new Map<string, unknown>();
  return (id) => {
    const name = id.replace(/^node:/, '');
    if (own[name] !== undefined) return own[name];
    if (AS_THEY_ARE.includes(name)) return process.getBuiltinModule(`node:${name}`);
    let module = loaded.get(name);
    if (module === undefined) {
      module = outsideModule(name);
      loaded.set(name, module);
    }
    return module;
  };
}

function cryptoOf(chance: ChanceSource): object {
  const fill = <T extends ArrayBufferView>(view: T): T => {
    new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(chance.bytes(view.byteLength));
    return view;
  };
  const randomBytes = (count: number): Buffer => Buffer.from(chance.bytes(count));
  const randomUUID = (): string => {
    const hex = randomBytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  return {
    ...process.getBuiltinModule('node:crypto'),
    randomBytes,
    randomFillSync: fill,
    getRandomValues: fill,
    webcrypto: { getRandomValues: fill, randomUUID },
    randomInt: (least: number, most?: number): number =>
      most === undefined ? Math.floor(chance.next() * least) : least + Math.floor(chance.next() * (most - least)),
    randomUUID,
  };
}

type Listener = (message: unknown, name: string) => void;

/** Channels that only this process hears. Node has one of each name for all code that it runs. */
function channelsOfAProcess(): object {
  const channels = new Map<string, Channel>();
  const channel = (name: string): Channel => {
    const known = channels.get(name) ?? new Channel(name);
    channels.set(name, known);
    return known;
  };
  return {
    channel,
    subscribe: (name: string, listener: Listener) => channel(name).subscribe(listener),
    unsubscribe: (name: string, listener: Listener) => channel(name).unsubscribe(listener),
  };
}

class Channel {
  readonly name: string;
  readonly #listeners = new Set<Listener>();

  constructor(name: string) {
    this.name = name;
  }

  get hasSubscribers(): boolean {
    return this.#listeners.size > 0;
  }

  subscribe(listener: Listener): void {
    this.#listeners.add(listener);
  }

  unsubscribe(listener: Listener): boolean {
    return this.#listeners.delete(listener);
  }

  publish(message: unknown): void {
    for (const listener of this.#listeners) listener(message, this.name);
  }
}

/** A module that reaches outside. It can be imported, but nothing of it can be used. */
function outsideModule(name: string): object {
  return new Proxy({}, { get: (_, member) => (typeof member === 'symbol' ? undefined : absent(`${name}.${member}`)) });
}

function absent(what: string): () => never {
  return function Absent() {
    throw new Error(`A simulated process has no ${what}`);
  };
}
