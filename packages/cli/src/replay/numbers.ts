/** Returns a share with two figures that tell something: `12 %`, `2.5 %`, `0.03 %`. Only nothing is 0, and only all is 100. */
export function share(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %';
  const percent = (part / whole) * 100;
  if (part === whole) return '100 %';
  if (percent < 0.01) return '< 0.01 %';
  if (percent > 99) return '> 99 %';
  if (percent >= 10) return `${Math.round(percent)} %`;
  return `${percent >= 1 ? percent.toFixed(1) : percent.toFixed(2)} %`;
}

/** Returns a time in UTC to the minute: `2026-11-22 19:00`. */
export function minuteText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** Returns a length of time: `45 s`, `90 min`, `36 h`, `12 days`. */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
