import type { Bundle } from '../process/bundle.js';
import { SimulatedProcess } from '../process/simulated-process.js';
import { SimulatedRedis } from '../redis/simulated-redis.js';
import type { CallStep, FaultStep, NetworkSetup, Tape } from '../tape/tape.js';
import { PHASE } from '../world/event-queue.js';
import { Link } from '../world/link.js';
import { World } from '../world/world.js';
import { Application, type Handles } from './application.js';
import { CallLog } from './call-log.js';
import { Faults, lengthMs } from './faults.js';
import type { Observation } from './observation.js';
import { GOES_ON_MS, restMsOf } from './rest.js';
import { type Server, serverOf } from './servers/server.js';

/** After this long without faults, the fleet is asked how it is. */
const PROBED_AFTER_MS = 1500;

/** Who waits for a slot gets it when it is released, and holds it then. */
const ROUNDS_OF_RELEASES = 5;

/** Rest passes in so many parts, between which whatever is due may run. */
const PARTS_OF_REST = 4;
const BETWEEN_PARTS_MS = 3000;

/** The subjects that are asked about at the end. */
const PROBED_SUBJECTS = 4;

/** A fleet of processes and servers that lives through a tape. */
export class Fleet {
  readonly #tape: Tape;
  readonly #codes: readonly Bundle[];
  readonly #observe: (observation: Observation) => void;
  readonly #world: World;
  /** When the last step and the last fault are over. */
  readonly #endMs: number;
  readonly #servers: readonly Server[];
  readonly #log: CallLog;
  readonly #faults: Faults;
  readonly #handles: Handles = { reservations: new Map(), charges: new Map(), waiting: new Map() };
  /** Those that run, by the number of the process. */
  readonly #applications: (Application | undefined)[] = [];
  /** Of each process, its ways to the servers. */
  readonly #links: Link[][] = [];
  #starts = 0;

  constructor(tape: Tape, codes: readonly Bundle[], observe: (observation: Observation) => void) {
    this.#tape = tape;
    this.#codes = codes;
    this.#observe = observe;
    this.#world = new World(tape.chance);
    this.#endMs = endMsOf(tape);
    this.#servers = tape.setup.servers.map((server, i) => serverOf(this.#world, server, i));
    this.#log = new CallLog(this.#world, tape.setup, observe, (process, sinceMs) => {
      return this.#applications[process]?.process.wasStalledSince(sinceMs) ?? true;
    });
    this.#faults = new Faults({
      world: this.#world,
      servers: this.#servers,
      onFault: (fault) => this.#onFault(fault),
      crash: (process) => this.#applications[process]?.process.crash(),
      start: ({ process, code, variant }) => this.#start(process, code, variant),
      stall: (process, forMs) => this.#applications[process]?.process.stall(forMs),
      cut: ({ process, server, forMs, how }) => {
        const link = this.#links[process]?.[server];
        if (how === 'silent') link?.silence(forMs);
        else link?.break(forMs);
      },
      lag: ({ process, server, forMs, moreMs, to }) => this.#links[process]?.[server]?.lag(to, forMs, moreMs),
    });
  }

  get events(): number {
    return this.#world.events;
  }

  get calls(): number {
    return this.#log.calls;
  }

  /** How many commands all Redis servers have executed, with those of scripts. */
  get commands(): number {
    return this.#servers.reduce(
      (sum, { database }) => sum + (database instanceof SimulatedRedis ? database.commands : 0),
      0,
    );
  }

  get nowMs(): number {
    return this.#world.nowMs;
  }

  /** Whether the run was ended because something in it goes on for ever. */
  get isEndless(): boolean {
    return this.#world.isEndless;
  }

  stop(): void {
    this.#world.stop();
  }

  /** @param onCrash - called with what a process throws that nobody catches */
  async play(onCrash: (error: unknown) => void): Promise<void> {
    this.#world.whenThrown(onCrash);
    const { setup, steps } = this.#tape;
    this.#observe({ kind: 'began', setup, atMs: 0 });
    setup.processes.forEach((_, i) => {
      this.#world.at(0, PHASE.timers, () => this.#start(i));
    });
    for (const step of steps) {
      if ('fault' in step) this.#faults.arrange(step);
      else this.#world.at(step.atMs, PHASE.network, () => this.#arrive(step));
    }
    await this.#world.run(this.#endMs + PROBED_AFTER_MS);
    this.#probe();
    await this.#rest();
    for (const application of this.#applications) application?.process.crash();
  }

  /** A request comes in. The process takes it as soon as its event loop gets to it. */
  #arrive(step: CallStep): void {
    if ('of' in step) {
      this.#arriveOf(step);
      return;
    }
    const application = this.#applications[step.process];
    if (!application?.process.isAlive) return;
    this.#inside(application, () => application.call(step));
  }

  /** A step about a reservation waits until this is granted, and happens where it was. */
  #arriveOf(step: Extract<CallStep, { readonly of: number }>): void {
    const held = this.#handles.reservations.get(step.of);
    if (!held) {
      const waiting = this.#handles.waiting.get(step.of) ?? [];
      this.#handles.waiting.set(step.of, waiting);
      waiting.push(() => this.#arriveOf(step));
      return;
    }
    const { application, reservation } = held;
    if (!reservation.allowed || !application.process.isAlive) return;
    this.#inside(application, () => application.callOf(step, held));
  }

  #inside({ process }: Application, run: () => void): void {
    this.#world.after(0, PHASE.network, run, process);
  }

  #start(number: number, code?: number, variant?: number): void {
    const setup = this.#tape.setup.processes[number];
    if (!setup || this.#applications[number]?.process.isAlive) return;
    this.#starts += 1;
    this.#world.endTurn();
    const bundle = this.#codes[code ?? setup.code ?? 0] ?? this.#codes[0];
    if (!bundle) throw new Error('A run needs at least one bundle');
    const process = new SimulatedProcess(this.#world, `${number}.${this.#starts}`, bundle, setup.clockAheadMs);
    const links = this.#servers.map(
      (_, server) => new Link(this.#world, this.#networkTo(server), process, `${process.name} ${server}`),
    );
    this.#links[number] = links;
    const place = { world: this.#world, process, servers: this.#servers, links };
    this.#applications[number] = new Application(
      number,
      variant ?? setup.variant ?? 0,
      this.#endMs,
      this.#tape.setup,
      place,
      this.#log,
      this.#handles,
    );
  }

  #networkTo(server: number): NetworkSetup {
    const { network, servers } = this.#tape.setup;
    const { farMs = 0 } = servers[server] ?? {};
    const [least, most] = network.delayMs;
    return farMs === 0 ? network : { ...network, delayMs: [least + farMs, most + farMs] };
  }

  #onFault(fault: FaultStep): void {
    this.#observe({ kind: 'fault', atMs: this.#world.nowMs, fault });
    const forMs = lengthMs(fault);
    if (forMs === 0) return;
    this.#world.after(forMs, PHASE.network, () => {
      this.#observe({ kind: 'fault-over', atMs: this.#world.nowMs, fault });
    });
  }

  /** Asks each process how it sees the subjects, when all faults have been over for a while. */
  #probe(): void {
    const subjects = [...new Set(this.#tape.steps.flatMap((step) => ('subject' in step ? [step.subject] : [])))];
    for (const application of this.#running()) {
      this.#tape.setup.policies.forEach((_, policy) => {
        for (const subject of subjects.slice(0, PROBED_SUBJECTS)) {
          const { nowMs } = this.#world;
          const step = { atMs: nowMs, call: 'peek', process: application.number, policy, subject, cost: 1 } as const;
          this.#inside(application, () => application.call(step));
        }
      });
      this.#tape.setup.plans?.forEach((_, plan) => {
        for (const subject of subjects.slice(0, PROBED_SUBJECTS)) {
          const { nowMs } = this.#world;
          const step = { atMs: nowMs, call: 'model-look', process: application.number, plan, subject } as const;
          this.#inside(application, () => application.call(step));
        }
      });
    }
  }

  /** Ends what is under way, and lets everything end that ends by time. */
  async #rest(): Promise<void> {
    const released = new Set<number>();
    for (let round = 0; round < ROUNDS_OF_RELEASES; round += 1) {
      for (const [of, { application }] of this.#handles.reservations) {
        if (!application.process.isAlive || released.has(of)) continue;
        released.add(of);
        this.#arriveOf({ atMs: this.#world.nowMs, call: 'release', of });
      }
      await this.#world.run(this.#world.nowMs + GOES_ON_MS / ROUNDS_OF_RELEASES);
    }
    const restMs = restMsOf(this.#tape);
    for (let part = 0; part < PARTS_OF_REST; part += 1) {
      this.#world.skip(restMs / PARTS_OF_REST);
      await this.#world.run(this.#world.nowMs + BETWEEN_PARTS_MS);
    }
    this.#observe({
      kind: 'rest',
      atMs: this.#world.nowMs,
      processes: this.#running().map(({ number, process, stores }) => ({
        process: number,
        timers: process.pendingTimers,
        heldKeys: stores.heldKeys,
      })),
      servers: this.#servers.map(({ node }) => ({ keys: node.database.keys().length })),
    });
  }

  #running(): Application[] {
    return this.#applications.filter((application) => application?.process.isAlive) as Application[];
  }
}

function endMsOf({ setup, steps }: Tape): number {
  return Math.max(setup.lastsMs, ...steps.map((step) => step.atMs + ('fault' in step ? lengthMs(step) : 0)));
}
