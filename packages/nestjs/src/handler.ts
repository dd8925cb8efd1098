/** A method of a class, with the metadata that decorators have left on both. */
export interface Handler {
  readonly type: { readonly name: string };
  readonly method: { readonly name: string };
}
