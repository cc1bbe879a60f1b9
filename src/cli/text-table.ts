/** Rows of cells as lines, each column as wide as its widest cell. The last one is as long as it is. */

export function textTable(rows: readonly (readonly string[])[]): string {
  const last = Math.max(...rows.map((cells) => cells.length)) - 1;
  const widths = Array.from({ length: last }, (_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map(line).join('\n');
}
