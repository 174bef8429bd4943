import type { App } from '../context.ts';
import { readinessCheckOf } from '../health/check-readiness.ts';
import { watchReadiness } from '../health/watch-readiness.ts';
import { takeUsage } from '../metering/hand-over-usage.ts';
import { watchQueues } from '../metrics/watch-queues.ts';
import { createCopyRepair } from '../services/deployments/copy-repair.ts';
import { watchDisk } from '../store/watch-disk.ts';
import { SUBJECTS } from '../supervisor/neighbour-subjects.ts';
import type { RunningRole } from './running-role.ts';
import { startHealthDoor } from './start-health-door.ts';

/**
 * Starts what one process does for a whole machine: it writes to the database what the edges have counted and
 * found, keeps the disk reserve, checks the installation's dependencies, and answers at HEALTH_PORT.
 */
export async function startHousekeeper(app: App): Promise<RunningRole> {
  const { config, databaseDisk, logger, neighbours } = app;
  const watching = databaseDisk && (await watchDisk(config, databaseDisk, logger));
  takeUsage(app);
  const copies = createCopyRepair(app);
  neighbours.on(SUBJECTS.lostCopy, (sha256) => {
    if (typeof sha256 === 'string') copies.repair(sha256);
  });
  watchQueues(app);
  const checkReadiness = readinessCheckOf(app);
  const readiness = watchReadiness(app, checkReadiness);
  const door =
    config.healthPort === null ? null : await startHealthDoor(app, config.healthPort, checkReadiness);
  return {
    address: null,
    async stop() {
      await Promise.all([door?.stop(), readiness.stop(), watching?.stop()]);
    },
  };
}
