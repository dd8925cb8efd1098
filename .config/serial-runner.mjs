import TestRunner from 'jest-runner';

/** Runs the files of its projects one at a time, while nothing else runs. */
export default class SerialRunner extends TestRunner {
  isSerial = true;
}
