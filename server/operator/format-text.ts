/**
 * Returns text that customers chose in a form that cannot control a terminal: without control characters and
 * without bidirectional marks.
 */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

type Cell = string | number | boolean | null | readonly string[];

/** Returns a value in readable form; null is a dash. */
function cell(value: Cell): string {
  if (value === null || value === '') return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(plain).join(', ');
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : plain(String(value));
}

/** Returns rows below a header, in columns as wide as needed; `empty` when there are none. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[], empty: string): string {
  if (rows.length === 0) return empty;
  const lines = [head, ...rows.map((row) => row.map(cell))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Returns one line per field. */
export function fields(values: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`)
    .join('\n');
}
