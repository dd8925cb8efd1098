const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { compileFunction, Script } = require('node:vm');
const Runtime = require('jest-runtime').default;

// V8 optimizes a function anew for each test file. Few files run for long enough to gain what that costs: four times as many calls
// have to come first here, and only the smallest functions become part of others.
setFlagsFromString('--interrupt-budget=270336');
setFlagsFromString('--max-inlined-bytecode-size-cumulative=100');

// It is named as a file of Jest's, so that a failing test shows its own line, which is above.
const { quickExpect } = compileFunction(
  `${readFileSync(join(__dirname, 'quick-expect.cjs'), 'utf8')}; return exports;`,
  ['exports'],
  { filename: join(dirname(require.resolve('@jest/expect')), 'quick-expect.cjs') },
)({});

/** The compiled modules of this process, by file name, each with the text that it was compiled from. */
const compiled = new Map();

/** What is known of a run's files, by its resolver: they do not change while it runs. */
const runs = new WeakMap();

/**
 * Jest's own module loader, except that it finds, reads and compiles a module once in a process instead of once in each test
 * file. A test file still executes each module that it imports, in a global object of its own: only what the engine has read is
 * shared. Where a later version of Jest has no `executor.compile`, every test fails at once, and this class can go: the tests
 * are only slower without it.
 */
module.exports = class TestRuntime extends Runtime {
  #expect;

  constructor(...args) {
    super(...args);
    const { coreModule, executor, fileCache } = this;
    const [, environment, resolver] = args;
    const requireOfNode = coreModule.require.bind(coreModule);
    coreModule.require = (name) => (name.endsWith('diagnostics_channel') ? environment.channels : requireOfNode(name));
    const texts = textsOf(resolver);
    const readAnew = fileCache.readFile.bind(fileCache);
    fileCache.readFile = (filename) => known(texts, filename, () => readAnew(filename));
    const compileAnew = executor.compile.bind(executor);
    executor.compile = (text, filename) => {
      const context = executor.environment.getVmContext();
      const script = context && scriptOf(filename, text, executor.injectedModuleParameters);
      // Jest words what is wrong with a text that cannot be compiled.
      return script ? script.runInContext(context) : compileAnew(text, filename);
    };
  }

  requireInternalModule(from, moduleName) {
    if (moduleName === 'node:async_hooks') return { AsyncLocalStorage: RunningTest };
    const module = super.requireInternalModule(from, moduleName);
    if (moduleName !== 'expect') return module;
    this.#expect ??= quickExpect(module.expect, super.requireInternalModule(from, '@jest/expect-utils'));
    return { ...module, default: this.#expect, expect: this.#expect };
  }
};

/**
 * Tells jest-circus which test is running, to which it counts an error that nobody catches. Tests of a file run one after
 * another, so that one field holds it. Node's own class follows every promise, and makes each take several times as long.
 */
class RunningTest {
  #store;

  getStore() {
    return this.#store;
  }

  async run(store, work) {
    const outer = this.#store;
    this.#store = store;
    try {
      return await work();
    } finally {
      this.#store = outer;
    }
  }
}

/** The texts of the files that a run has read. Its resolver remembers from now on where mapped names lead to. */
function textsOf(resolver) {
  return known(runs, resolver, () => {
    const found = new Map();
    const findAnew = resolver.resolveStubModuleName.bind(resolver);
    resolver.resolveStubModuleName = (from, name, options) => {
      const key = [dirname(from), name, ...(options?.conditions ?? [])].join('\0');
      return known(found, key, () => findAnew(from, name, options));
    };
    return new Map();
  });
}

/** What is kept under a key, which is made at the first time. */
function known(kept, key, make) {
  let value = kept.get(key);
  if (value === undefined) {
    value = make();
    kept.set(key, value);
  }
  return value;
}

function scriptOf(filename, text, parameters) {
  const before = compiled.get(filename);
  if (before?.text === text) return before.script;
  const head = `(function (${parameters.join(', ')}) {`;
  try {
    const script = new Script(`${head}${text}\n})`, { filename, columnOffset: -head.length });
    compiled.set(filename, { text, script });
    return script;
  } catch {
    return undefined;
  }
}
