import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { type BenchResult, formatValue } from './bench-result.ts';

const PAGE = 'docs/performance.md';
const GIB = 1024 ** 3;

/** Writes results into their section of docs/performance.md, with the date, the commit and the machine. */
export async function recordResults(section: string, results: readonly BenchResult[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const heading = `### ${section}\n`;
  const [before = '', after] = page.split(heading);
  if (after === undefined) throw new Error(`${PAGE} has no section ${section}`);
  const next = /^### /m.exec(after);
  const rest = next === null ? '' : after.slice(next.index);
  await writeFile(
    PAGE,
    `${before}${heading}\n${describeRun()}\n\n${toTable(results)}\n${rest && `\n${rest}`}`,
  );
}

function describeRun(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const [processor] = cpus();
  const machine = `${cpus().length} cores (${processor?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / GIB)} GiB`;
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, commit ${commit}, ${machine}, ${process.platform} ${release()}, Node ${process.versions.node}`;
}

function toTable(results: readonly BenchResult[]): string {
  const rows = results.map(({ name, value, unit, peer, peerValue, ratio, target }) => [
    name,
    `${formatValue(value)} ${unit}`,
    peer === undefined || peerValue === undefined ? '' : `${peer}: ${formatValue(peerValue)} ${unit}`,
    ratio === undefined ? '' : ratio.toFixed(2),
    target ?? '',
  ]);
  const lines = [
    ['figure', 'here', 'beside it', 'ratio', 'target'],
    ['---', '---', '---', '---', '---'],
    ...rows,
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
