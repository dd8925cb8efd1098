/** Resolves as soon as it is so, which has to be within five seconds or so. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries += 1) {
    if (tries > 1000) throw new Error('It does not come to that.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
