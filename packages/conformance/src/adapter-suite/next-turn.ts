/** Resolves in a later turn of the event loop. Not every runtime has `setImmediate`. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    (globalThis.setImmediate ?? setTimeout)(() => resolve());
  });
}
