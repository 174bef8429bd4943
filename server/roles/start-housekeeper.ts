import type { App } from '../context.ts';
import { readinessCheckOf } from '../health/check-readiness.ts';
import { watchReadiness } from '../health/watch-readiness.ts';
import { newId } from '../ids.ts';
import { repeat } from '../jobs/repeat.ts';
import { takeUsage } from '../metering/hand-over-usage.ts';
import { watchQueues } from '../metrics/watch-queues.ts';
import { createCopyRepair } from '../services/deployments/encodings/copy-repair.ts';
import { forgetMachine, noteMachine, toMachineProcess } from '../services/operator/note-machine.ts';
import { MACHINE_REPORT_MS } from '../services/operator/rules.ts';
import { watchDisk } from '../store/room/watch-disk.ts';
import { SUBJECTS } from '../supervisor/sibling-subjects.ts';
import type { RunningRole } from './running-role.ts';
import { startHealthListener } from './start-health-listener.ts';

/**
 * Starts what one process does for a whole machine: it writes to the database what the edges have counted and
 * found, keeps the disk reserve, checks the installation's dependencies, reports the machine's
 * processes, and answers at HEALTH_PORT.
 */
export async function startHousekeeper(app: App): Promise<RunningRole> {
  const { config, databaseDisk, logger, siblings } = app;
  const watching = databaseDisk && (await watchDisk(config, databaseDisk, logger));
  takeUsage(app);
  const copies = createCopyRepair(app);
  siblings.on(SUBJECTS.lostCopy, (sha256) => {
    if (typeof sha256 === 'string') copies.repair(sha256);
  });
  watchQueues(app);
  const checkReadiness = readinessCheckOf(app);
  const readiness = watchReadiness(app, checkReadiness);
  const reports = reportMachine(app);
  const healthListener =
    config.healthPort === null ? null : await startHealthListener(app, config.healthPort, checkReadiness);
  return {
    address: null,
    async stop() {
      await Promise.all([healthListener?.stop(), readiness.stop(), reports.stop(), watching?.stop()]);
    },
  };
}

/**
 * Reports the state of this machine's processes periodically, for the operator's screens on other machines.
 */
function reportMachine(app: App): { stop(): Promise<void> } {
  const run = newId(app.clock.now());
  const report = async () => {
    const processes = await app.siblings.status();
    await noteMachine(app, run, processes.map(toMachineProcess));
  };
  // An unreachable database is reported by the watch over dependencies.
  const reports = repeat(MACHINE_REPORT_MS, report, () => undefined, 0);
  return {
    async stop() {
      await reports.stop();
      await forgetMachine(app, run).catch(() => undefined);
    },
  };
}
