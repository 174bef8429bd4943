import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { VisitorReport } from './visitor-thread.ts';

/** How a well-behaved visitor of a site fared while others attacked. */
export interface VisitorFigures {
  visits: number;
  p50Ms: number;
  p99Ms: number;
  longestMs: number;
  /** The same for an idle server, requested alternately with the site: the machine's own delay. */
  controlP99Ms: number;
  controlLongestMs: number;
  failures: string[];
}

/**
 * Starts to visit a page some thirty times a second; the returned function ends that and returns the results.
 */
export async function startVisitor(
  port: number,
  host: string,
  path: string,
): Promise<() => Promise<VisitorFigures>> {
  const controlThread = new Worker(join(import.meta.dirname, 'control-thread.ts'));
  const [{ port: controlPort }] = (await once(controlThread, 'message')) as [{ port: number }];
  const visitor = new Worker(join(import.meta.dirname, 'visitor-thread.ts'), {
    workerData: {
      edge: { port, host, path },
      control: { port: controlPort, host: 'control.test', path: '/' },
    },
  });
  return async () => {
    visitor.postMessage('stop');
    const [report] = (await once(visitor, 'message')) as [VisitorReport];
    await controlThread.terminate();
    return {
      visits: report.edgeMs.length,
      p50Ms: percentile(report.edgeMs, 50),
      p99Ms: percentile(report.edgeMs, 99),
      longestMs: percentile(report.edgeMs, 100),
      controlP99Ms: percentile(report.controlMs, 99),
      controlLongestMs: percentile(report.controlMs, 100),
      failures: report.failures,
    };
  };
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}
