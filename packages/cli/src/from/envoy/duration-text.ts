/**
 * Reads a duration of Protocol Buffers in JSON, such as `60s` or `0.5s`; undefined if it is none.
 *
 * @see https://protobuf.dev/reference/protobuf/google.protobuf/#duration
 */
export function durationText(text: string): { readonly ms: number; readonly text: string } | undefined {
  if (!/^\d+(?:\.\d+)?s$/.test(text)) return undefined;
  const ms = Math.round(Number.parseFloat(text) * 1000);
  if (ms < 1) return undefined;
  return { ms, text: ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms` };
}
