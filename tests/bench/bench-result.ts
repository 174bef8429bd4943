/** One measurement; `peer` names what it was compared with in the same run. */
export interface BenchResult {
  name: string;
  value: number;
  unit: string;
  peer?: string;
  peerValue?: number;
  /** value divided by peerValue. */
  ratio?: number;
  /** The target in words, e.g. "< 3 s". */
  target?: string;
}

/** Returns the value below which a share of the samples lies (0.95: the 95th percentile). */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the value below which half of the samples lie. */
export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

/** Prints results as a table. */
export function formatResults(results: readonly BenchResult[]): string {
  const rows = results.map((result) => [
    result.name,
    `${formatValue(result.value)} ${result.unit}`,
    result.peer ? `${result.peer}: ${formatValue(result.peerValue ?? Number.NaN)} ${result.unit}` : '',
    result.ratio === undefined ? '' : `x${result.ratio.toFixed(2)}`,
    result.target ? `target ${result.target}` : '',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats a number with its significant digits. */
export function formatValue(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-CA') : value.toPrecision(3);
}
