import { type App, type RequestContext, requireOperator } from '#server/context.ts';
import { readinessCheckOf } from '#server/health/check-readiness.ts';
import { getBillingState } from '../billing/get-billing-state.ts';
import { toInstant } from '../shared/schema.ts';
import { machineIdOf, toMachineProcess } from './note-machine.ts';
import { readQueue } from './read-queues.ts';
import { MACHINE_SILENT_MS, QUEUE_NAMES } from './rules.ts';
import { type InstallationHealth, machineProcessesSchema } from './schema.ts';

const MACHINES_MAX = 200;

/**
 * Returns the state of the installation: its processes on this machine and others, its dependencies, its
 * queues, and billing.
 * @throws operator_required
 */
export async function getInstallationHealth(context: RequestContext): Promise<InstallationHealth> {
  requireOperator(context, 'read');
  const { app } = context;
  const [processes, machines, { checks }, billing] = await Promise.all([
    app.siblings.status(),
    listOtherMachines(app),
    readinessCheckOf(app)(),
    getBillingState(app),
  ]);
  return {
    processes: processes.map(toMachineProcess),
    machines,
    dependencies: Object.entries(checks).map(([name, result]) => ({
      name,
      is_up: result !== 'failed',
      is_full: result === 'full',
      is_read_only: result === 'read_only',
    })),
    queues: await readQueues(app),
    billing,
  };
}

async function listOtherMachines(app: App): Promise<InstallationHealth['machines']> {
  const rows = await app.db
    .selectFrom('machines')
    .select(['id', 'name', 'processes', 'seen_at'])
    .where('id', '!=', machineIdOf(app))
    .orderBy('name')
    .orderBy('id')
    .limit(MACHINES_MAX)
    .execute();
  const now = app.clock.now();
  return rows.map(({ id, name, processes, seen_at }) => ({
    id,
    name,
    is_alive: now - seen_at < MACHINE_SILENT_MS,
    seen_at: toInstant(seen_at),
    processes: machineProcessesSchema.parse(JSON.parse(processes)),
  }));
}

async function readQueues(app: App): Promise<InstallationHealth['queues']> {
  const states = await Promise.all(QUEUE_NAMES.map((queue) => readQueue(app, queue)));
  return states.map((state) => ({ ...state, oldest_at: toInstant(state.oldest_at) }));
}
