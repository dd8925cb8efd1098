import { afterEach } from '@jest/globals';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
});

/**
 * Closes a store after the test that makes it, and returns the store. Until then its keys are swept every 20 ms, and a store that
 * nobody closes goes on until the garbage collector finds it: in a run of many tests that is a lot of work for the files that follow.
 */
export function closedAfterTest<T extends { close(): unknown }>(store: T): T {
  open.push(store);
  return store;
}
