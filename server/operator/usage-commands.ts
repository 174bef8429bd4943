import { readWaitingUsage } from '../metering/read-waiting-usage.ts';
import { spoolFolderOf } from '../metering/spool-folder.ts';
import { type Command, command } from './command.ts';
import { fields } from './format-text.ts';

export const usageCommands: readonly Command[] = [
  command({
    name: 'usage waiting',
    summary: 'Show what the edges of this DATA_DIR have counted and the database does not have yet',
    run: ({ app }) => readWaitingUsage(spoolFolderOf(app.config)),
    show: ({ folder, batches, bytes, oldest_written_at, set_aside }) =>
      fields({
        folder,
        'batches waiting': batches,
        bytes,
        'oldest from': oldest_written_at,
        'set aside': set_aside,
      }),
  }),
];
