const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/**
 * Formats a number of bytes for people, e.g. `4.2 MB`; a KB is 1,024 bytes.
 * @param {number} bytes
 */
export function formatBytes(bytes) {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/**
 * @param {number} count
 * @param {string} noun
 */
export function formatCount(count, noun) {
  return `${count.toLocaleString('en-CA')} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Formats rows as aligned columns.
 * @param {readonly string[][]} rows
 */
export function formatTable(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
