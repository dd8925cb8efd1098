import TestRunner from 'jest-runner';

/** They mostly wait, longer than others. */
const FILES_PER_WORKER = 5 / 4;

/** Runs the files of its projects after all others. Jest gives each runner a turn of its own: nothing else runs meanwhile. */
export default class QuietRunner extends TestRunner {
  constructor(config, context) {
    super({ ...config, maxWorkers: Math.floor(FILES_PER_WORKER * config.maxWorkers) }, context);
  }
}
