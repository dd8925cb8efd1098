/** Resolves as soon as the condition is true. It has about five seconds. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries += 1) {
    if (tries > 1000) throw new Error('It does not come to that.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
