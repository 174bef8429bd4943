import { Counter, Histogram, type Registry } from 'prom-client';

export type JobResult = 'done' | 'failed' | 'outage';

/** Called for every run of a job on this node. */
export type OnJobRun = (job: string, result: JobResult, seconds: number) => void;

/** Adds the runs of jobs to the metrics. */
export function showJobFigures(registry: Registry): OnJobRun {
  const runs = new Counter({
    name: 'portage_job_runs_total',
    help: 'Runs of a job by how they ended: done, failed, or outage when the database or a service did not answer.',
    labelNames: ['job', 'result'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'portage_job_seconds',
    help: 'Duration of the runs of a job.',
    labelNames: ['job'],
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers: [registry],
  });
  return (job, result, duration) => {
    runs.inc({ job, result });
    seconds.observe({ job }, duration);
  };
}
