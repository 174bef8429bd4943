import { type App, type RequestContext, requireOperator } from '#server/context.ts';
import { readinessCheckOf } from '#server/health/check-readiness.ts';
import { getBillingState } from '../billing/get-billing-state.ts';
import { toInstant } from '../shared/schema.ts';
import { readQueue } from './read-queues.ts';
import { QUEUE_NAMES } from './rules.ts';
import type { InstallationHealth } from './schema.ts';

/**
 * Returns the state of the installation: its processes on this machine, its dependencies, its queues, and
 * billing.
 * @throws operator_required
 */
export async function getInstallationHealth(context: RequestContext): Promise<InstallationHealth> {
  requireOperator(context, 'read');
  const { app } = context;
  const [processes, { checks }, billing] = await Promise.all([
    app.neighbours.status(),
    readinessCheckOf(app)(),
    getBillingState(app),
  ]);
  return {
    processes: processes.map(({ name, isReady, starts }) => ({ name, is_ready: isReady, starts })),
    dependencies: Object.entries(checks).map(([name, result]) => ({ name, is_up: result === 'ok' })),
    queues: await readQueues(app),
    billing,
  };
}

async function readQueues(app: App): Promise<InstallationHealth['queues']> {
  const states = await Promise.all(QUEUE_NAMES.map((queue) => readQueue(app, queue)));
  return states.map((state) => ({ ...state, oldest_at: toInstant(state.oldest_at) }));
}
