/** A method of a class, and whatever decorators have left on both. */
export interface Handler {
  readonly type: { readonly name: string };
  readonly method: { readonly name: string };
}
