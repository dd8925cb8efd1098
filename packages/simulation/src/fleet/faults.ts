import type { FaultStep } from '../tape/tape.js';
import { PHASE } from '../world/event-queue.js';
import type { World } from '../world/world.js';
import type { Server } from './servers/server.js';
import type { Database } from './servers/server-node.js';

/** What faults act on. */
interface FaultPlace {
  readonly world: World;
  readonly servers: readonly Server[];
  readonly onFault: (fault: FaultStep) => void;
  readonly crash: (process: number) => void;
  readonly start: (fault: Extract<FaultStep, { readonly fault: 'start' }>) => void;
  readonly stall: (process: number, forMs: number) => void;
  readonly cut: (fault: Extract<FaultStep, { readonly fault: 'cut' }>) => void;
  readonly lag: (fault: Extract<FaultStep, { readonly fault: 'lag' }>) => void;
}

/** Lets faults begin. Those that last end by themselves. */
export class Faults {
  readonly #place: FaultPlace;
  /** Puts into place what a replica knows that takes over. */
  readonly #replicas = new Map<FaultStep, () => void>();

  constructor(place: FaultPlace) {
    this.#place = place;
  }

  /** Call it for each fault before the first step: a replica has to know what the server had some time before it fails. */
  arrange(fault: FaultStep): void {
    const { world } = this.#place;
    if (fault.fault === 'fail-over') {
      world.at(Math.max(0, fault.atMs - fault.lagMs), PHASE.timers, () => {
        this.#replicas.set(fault, this.#server(fault.server).node.database.remember());
      });
    }
    world.at(fault.atMs, PHASE.network, () => this.#begin(fault));
  }

  #begin(fault: FaultStep): void {
    this.#place.onFault(fault);
    switch (fault.fault) {
      case 'crash':
        this.#place.crash(fault.process);
        break;
      case 'start':
        this.#place.start(fault);
        break;
      case 'stall':
        this.#place.stall(fault.process, fault.forMs);
        break;
      case 'cut':
        this.#place.cut(fault);
        break;
      case 'lag':
        this.#place.lag(fault);
        break;
      default:
        this.#beginAtServer(fault, this.#server(fault.server));
        break;
    }
  }

  #beginAtServer(fault: Exclude<FaultStep, { readonly process: number }>, { node, clock }: Server): void {
    const { database } = node;
    switch (fault.fault) {
      case 'set-clock':
        clock.setForward(fault.byMs);
        break;
      case 'freeze':
        node.freeze(fault.forMs);
        break;
      case 'restart':
        node.restart(fault.forMs, () => fault.keeps === 'nothing' && database.clear());
        break;
      case 'fail-over':
        node.restart(fault.forMs, () => this.#replicas.get(fault)?.());
        break;
      case 'flush':
        database.clear();
        break;
      case 'forget-scripts':
        database.forgetOfProcess();
        break;
      case 'lose-key':
        loseKey(database, fault.pick);
        break;
      case 'fill':
        database.fill(fault.policy);
        this.#place.world.after(fault.forMs, PHASE.network, () => database.drain());
    }
  }

  #server(index: number): Server {
    const server = this.#place.servers[index];
    if (!server) throw new Error(`The tape has no server ${index}`);
    return server;
  }
}

/** How long a fault lasts; 0 for one that is over at once. */
export function lengthMs(fault: FaultStep): number {
  return 'forMs' in fault ? fault.forMs : 0;
}

function loseKey(database: Database, pick: number): void {
  const keys = database.keys();
  const key = keys[Math.min(keys.length - 1, Math.floor(pick * keys.length))];
  if (key !== undefined) database.loseKey(key);
}
