/** Lets requests be served between the slices of a large text. */
export const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
