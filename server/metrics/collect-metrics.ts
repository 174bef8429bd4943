import { Gauge, Registry } from 'prom-client';
import type { App } from '../context.ts';
import { SUBJECTS } from '../supervisor/sibling-subjects.ts';

/** A process that has not responded by then is missing from a scrape. */
const WITHIN_MS = 2_000;

/**
 * Returns the metrics of all processes on this machine, each labelled with its `process`; of a single process
 * with all roles, just its own.
 */
export async function collectMetrics({ logger, metrics, siblings }: App): Promise<string> {
  if (siblings.isAlone) return metrics.metrics();
  const [own, responses, supervised] = await Promise.all([
    metrics.metrics(),
    siblings.ask('all', SUBJECTS.metrics, null, WITHIN_MS),
    showProcesses(siblings),
  ]);
  const texts = [supervised, own];
  for (const { name, answer: response } of responses) {
    if ('body' in response && typeof response.body === 'string') texts.push(response.body);
    else logger.warn({ asked: name, answer: response }, 'the metrics of a process are missing');
  }
  return mergeFigures(texts);
}

/** What the supervisor knows about every process, including those that do not respond. */
async function showProcesses(siblings: App['siblings']): Promise<string> {
  const registry = new Registry();
  const about = { labelNames: ['process'], registers: [registry] };
  const ready = new Gauge({
    name: 'portage_process_ready',
    help: 'Whether a process of this machine does its work.',
    ...about,
  });
  const starts = new Gauge({
    name: 'portage_process_starts',
    help: 'How often a process was started, the first time and replacements included.',
    ...about,
  });
  for (const { name, isReady, starts: count } of await siblings.status()) {
    ready.set({ process: name }, isReady ? 1 : 0);
    starts.set({ process: name }, count);
  }
  return registry.metrics();
}

/** Merges exposition texts: Prometheus requires all lines of a metric in one place, below one description. */
export function mergeFigures(texts: readonly string[]): string {
  const figures = new Map<string, { description: string; lines: string[] }>();
  for (const text of texts) {
    for (const block of text.split(/^(?=# HELP )/m)) {
      const [help = '', type = '', ...lines] = block.trimEnd().split('\n');
      const name = /^# HELP (\S+)/.exec(help)?.[1];
      if (name === undefined) continue;
      const figure = figures.get(name) ?? { description: `${help}\n${type}`, lines: [] };
      figure.lines.push(...lines);
      figures.set(name, figure);
    }
  }
  return [...figures.values()]
    .map(({ description, lines }) => [description, ...lines, ''].join('\n'))
    .join('\n');
}
