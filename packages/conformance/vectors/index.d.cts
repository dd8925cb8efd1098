/** The files of this folder as they are, each with its name in `file`. Typed as `VECTORS` of `@sluice/conformance`. */
export declare const vectors: readonly {
  readonly file: string;
  readonly about: string;
  readonly cases: readonly unknown[];
}[];
