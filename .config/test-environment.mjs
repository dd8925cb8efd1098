import { constants, createContext, runInContext } from 'node:vm';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { installCommonGlobals } from 'jest-util';

/** Of these, Node's own modules make and check values: a test has to have the same ones. */
const SHARED = ['Buffer', 'ArrayBuffer', 'Uint8Array'];

/**
 * A global object for each test file, as Jest's environment for Node gives it, but an ordinary one. That of Jest is a proxy behind an
 * interceptor: to look `Math` up there takes many times as long as to add two numbers.
 */
export default class TestEnvironment {
  constructor({ projectConfig }) {
    this.context = createContext(constants.DONT_CONTEXTIFY);
    const global = runInContext('globalThis', this.context);
    this.global = global;
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      if (!Object.hasOwn(global, name)) defineFromNode(global, name);
    }
    for (const name of SHARED) global[name] = globalThis[name];
    global.global = global;
    this.intervals = new Intervals();
    global.setInterval = (...args) => this.intervals.begin(...args);
    installCommonGlobals(global, projectConfig.globals);
    // Node keeps 10 lines of a stack, which a failing test often needs more of.
    global.Error.stackTraceLimit = 100;
    this.conditions = projectConfig.testEnvironmentOptions.customExportConditions;
    this.moduleMocker = new ModuleMocker(global);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.intervals.end();
    this.context = null;
  }

  exportConditions() {
    return this.conditions;
  }

  getVmContext() {
    return this.context;
  }
}

/**
 * The intervals of a test file, which end with it. A store that a file leaves failing is probed by one: later files of the process would hear
 * its events, since a channel of `node:diagnostics_channel` is the same in all of them.
 */
class Intervals {
  #running = new Set();
  #isOver = false;

  begin(...args) {
    const interval = setInterval(...args);
    if (this.#isOver) clearInterval(interval);
    else this.#running.add(interval);
    return interval;
  }

  end() {
    this.#isOver = true;
    for (const interval of this.#running) clearInterval(interval);
    this.#running.clear();
  }
}

/** Gives a global object one of Node's globals. Node loads some of them only when they are used. */
function defineFromNode(global, name) {
  const { enumerable } = Object.getOwnPropertyDescriptor(globalThis, name);
  const define = (property) => Object.defineProperty(global, name, { configurable: true, enumerable, ...property });
  define({
    get: () => {
      const value = globalThis[name];
      define({ value, writable: true });
      return value;
    },
    set: (value) => define({ value, writable: true }),
  });
}
