import TestRunner from 'jest-runner';

/**
 * Runs the files of its projects after all others. Jest gives each runner a turn of its own: nothing else runs meanwhile. Each
 * file has a core: these tests mostly wait.
 */
export default class QuietRunner extends TestRunner {}
