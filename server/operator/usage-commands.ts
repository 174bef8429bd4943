import { readWaitingUsage } from '../metering/read-waiting-usage.ts';
import { retryQuarantined } from '../metering/retry-quarantined.ts';
import { spoolFolderOf } from '../metering/spool-folder.ts';
import { applyUsageBatch } from '../services/usage/apply-usage-batch.ts';
import { type Command, command } from './command.ts';
import { fields, table } from './format-text.ts';

export const usageCommands: readonly Command[] = [
  command({
    name: 'usage waiting',
    summary: 'Show the usage that edges of this DATA_DIR have counted and not yet written to the database',
    run: ({ app }) => readWaitingUsage(spoolFolderOf(app.config)),
    show: ({ folder, batches, bytes, oldest_written_at, quarantined }) =>
      fields({
        folder,
        'batches waiting': batches,
        bytes,
        'oldest from': oldest_written_at,
        quarantined,
      }),
  }),
  command({
    name: 'usage retry',
    summary: 'Count the quarantined usage batches of this DATA_DIR that can be counted now',
    run: ({ app }) => retryQuarantined(spoolFolderOf(app.config), (batch) => applyUsageBatch(app, batch)),
    show: (retried) =>
      table(
        ['FILE', 'PROBLEM'],
        retried.map(({ file, problem }) => [file, problem ?? 'none: it was counted']),
        'Nothing is quarantined.',
      ),
  }),
];
