/**
 * Returns a text that customers chose in a form that cannot steer a terminal: without control characters and without marks
 * that turn the direction of writing.
 */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

type Cell = string | number | boolean | null | readonly string[];

/** Returns a value as a person reads it; nothing is a dash. */
export function cell(value: Cell): string {
  if (value === null || value === '') return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(plain).join(', ');
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : plain(String(value));
}

/** Returns rows below a head, in columns as wide as they have to be; `empty` when there are none. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[], empty: string): string {
  if (rows.length === 0) return empty;
  const lines = [head, ...rows.map((row) => row.map(cell))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Returns one line a field. */
export function fields(values: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`)
    .join('\n');
}
