import diagnosticsChannel from 'node:diagnostics_channel';
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
    installCommonGlobals(global, projectConfig.globals);
    this.channels = channelsOfAFile();
    global.process.getBuiltinModule = (id) =>
      id.endsWith('diagnostics_channel') ? this.channels : process.getBuiltinModule(id);
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
    this.context = null;
  }

  exportConditions() {
    return this.conditions;
  }

  getVmContext() {
    return this.context;
  }
}

let files = 0;

/**
 * `node:diagnostics_channel` of a test file, which hears the events of Sluice that its own code publishes. Those of Node are the same for
 * all code of a process: a file would hear stores that earlier files have left failing.
 */
function channelsOfAFile() {
  files += 1;
  const file = files;
  const own = (name) => (String(name).startsWith('sluice:') ? `${name} in test file ${file}` : name);
  const { channel, hasSubscribers, subscribe, unsubscribe } = diagnosticsChannel;
  return {
    ...diagnosticsChannel,
    channel: (name) => channel(own(name)),
    hasSubscribers: (name) => hasSubscribers(own(name)),
    subscribe: (name, listener) => subscribe(own(name), listener),
    unsubscribe: (name, listener) => unsubscribe(own(name), listener),
  };
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
