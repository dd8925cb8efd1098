/** Returns rows in columns of their widest cell. Columns whose head begins with a space are flush right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((name, i) => Math.max(name.trim().length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => {
        const width = widths[i] as number;
        return head[i]?.startsWith(' ') ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('   ')
      .trimEnd();
  return [line(head.map((name) => name.trim())), ...rows.map(line)];
}
