/**
 * A type of ours as it is while somebody makes the object, who may still add to it. To add a member is cheap; a copy with one member
 * more is slow: see "Copies" in `packages/bench/docs/v8.md`.
 */
export type Writable<T> = { -readonly [Member in keyof T]: T[Member] };
