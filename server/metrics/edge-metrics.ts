import { Counter, Histogram, type Registry } from 'prom-client';
import type { EdgeObserver } from '../edge/observer.ts';

const CLASSES = 6;

/**
 * Adds an edge's responses to the metrics. Responses from memory are only counted, because there are tens of
 * thousands a second; all others are timed as well.
 */
export function showEdgeFigures(registry: Registry): EdgeObserver {
  const registers = [registry];
  /** By the first digit of the status, since the last scrape. */
  const ready = new Array<number>(CLASSES).fill(0);
  const waited = new Array<number>(CLASSES).fill(0);
  const take = (counts: number[], source: string, counter: Counter<'status' | 'source'>) => {
    for (const [digit, count] of counts.entries()) {
      if (count > 0) counter.inc({ status: `${digit}xx`, source }, count);
      counts[digit] = 0;
    }
  };
  new Counter({
    name: 'portage_edge_answers_total',
    help: 'Answers of the edge by status class, and whether they were ready in memory.',
    labelNames: ['status', 'source'],
    registers,
    collect() {
      take(ready, 'ready', this);
      take(waited, 'made', this);
    },
  });
  const seconds = new Histogram({
    name: 'portage_edge_answer_seconds',
    help: 'From the request to the head of its answer, of answers that were not ready in memory.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  return {
    answered(_request, { status }, _bytes, ms) {
      const digit = Math.min(CLASSES - 1, Math.trunc(status / 100));
      if (ms === 0) {
        ready[digit] = (ready[digit] ?? 0) + 1;
        return;
      }
      waited[digit] = (waited[digit] ?? 0) + 1;
      seconds.observe(ms / 1000);
    },
  };
}
