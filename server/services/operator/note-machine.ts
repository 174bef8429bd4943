import { hostname } from 'node:os';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import type { ProcessStatus } from '#server/supervisor/messages.ts';
import { MACHINE_KEPT_MS } from './rules.ts';
import type { MachineProcess } from './schema.ts';

/** Returns the id of this machine in the table of machines; two installations on one host are two. */
export function machineIdOf({ config }: Pick<App, 'config'>): string {
  return `${hostname()} ${config.dataDir}`;
}

/** Returns a process in wire format. */
export function toMachineProcess({ name, isReady, isSilent = false, starts }: ProcessStatus): MachineProcess {
  return { name, is_ready: isReady, is_silent: isSilent, starts };
}

/**
 * Records that this machine is alive, with the state of its processes. `run` is the reporting process.
 * Machines that have been silent for a day are removed.
 */
export async function noteMachine(
  app: App,
  run: string,
  processes: readonly MachineProcess[],
): Promise<void> {
  const now = app.clock.now();
  const said = { name: hostname(), run, processes: JSON.stringify(processes), seen_at: now };
  await inTransaction(app.db, async (trx) => {
    await trx
      .insertInto('machines')
      .values({ id: machineIdOf(app), ...said })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(said))
      .execute();
    await trx
      .deleteFrom('machines')
      .where('seen_at', '<', now - MACHINE_KEPT_MS)
      .execute();
  });
}

/** Forgets this machine, unless another process has spoken for it since: a graceful stop is no failure. */
export async function forgetMachine(app: App, run: string): Promise<void> {
  await app.db.deleteFrom('machines').where('id', '=', machineIdOf(app)).where('run', '=', run).execute();
}
