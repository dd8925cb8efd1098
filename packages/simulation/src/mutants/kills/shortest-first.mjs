import Sequencer from '@jest/test-sequencer';

/** Runs the shortest test files first: most changes fail many tests, and the first failure is enough. */
export default class ShortestFirst extends Sequencer {
  sort(tests) {
    return [...tests].sort((a, b) => (this.time(a) ?? 0) - (this.time(b) ?? 0));
  }
}
