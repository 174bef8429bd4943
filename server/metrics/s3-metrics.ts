import { Histogram, type Registry } from 'prom-client';
import type { S3ResponseSummary } from '../s3/create-s3-server.ts';

/** Adds the S3 service's responses to the metrics; returns the function to call for each response. */
export function showS3Figures(registry: Registry): (response: S3ResponseSummary) => void {
  const seconds = new Histogram({
    name: 'portage_s3_request_seconds',
    help: 'From a request of the S3 service to the end of its answer.',
    labelNames: ['operation', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120],
    registers: [registry],
  });
  return ({ operation, status, ms }) =>
    seconds.observe({ operation: operation ?? 'none', status: `${Math.trunc(status / 100)}xx` }, ms / 1000);
}
