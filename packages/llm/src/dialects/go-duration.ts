/** Writes milliseconds as Go writes a duration, which OpenAI's fields have: `12ms`, `1.5s`, `6m0s`, `23h18m29.144s`. */
export function goDuration(ms: number): string {
  if (ms < 1000) return ms === 0 ? '0s' : `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = `${(ms % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
