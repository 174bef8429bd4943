import { backUp } from '../backup/back-up.ts';
import { type CheckReport, checkBackup } from '../backup/check-backup.ts';
import { restore } from '../backup/restore.ts';
import { type Command, command, flagOption, settingsCommand } from './command.ts';
import { fields } from './format-text.ts';

const FOLDER = 'DIR';
/** How many missing names are printed; the JSON has all. */
const NAMES_SHOWN = 10;

export const backupCommands: readonly Command[] = [
  command({
    name: 'backup',
    summary:
      'Back up database and content to a directory while the server runs; repeated backups only add what is new',
    args: [FOLDER],
    run: ({ app }, { args }) => backUp(app, args[0] ?? ''),
    show: ({ folder, created_at, database, content, missing, removed }) =>
      [
        fields({
          backup: folder,
          from: created_at,
          database: `${database.engine}, ${database.bytes} bytes, ${sumOf(database.rows)} rows`,
          files: `${content.blobs} of sites, ${content.pieces} of buckets, ${content.bytes} bytes`,
          removed: `${removed} files that are no longer referenced`,
        }),
        ...(missing.length > 0
          ? [`Missing or damaged in the store, and therefore not in the backup:\n${listed(missing)}`]
          : []),
        'It does not contain the master key: keep MASTER_KEY, or the file master.key of DATA_DIR, in another place.',
      ].join('\n\n'),
    isFailure: ({ missing }) => missing.length > 0,
  }),
  settingsCommand({
    name: 'restore',
    summary: 'Restore a backup into an empty installation; --check rehearses it and changes nothing',
    args: [FOLDER],
    options: { check: flagOption('load a copy of the database, read all content and compare the hashes') },
    run: async ({ config, logger }, { args, has }) => {
      const folder = args[0] ?? '';
      if (has('check')) return { checked: await checkBackup(config, folder) };
      return { restored: await restore(config, logger, folder) };
    },
    show: ({ checked, restored }) => {
      if (checked) return showCheck(checked);
      const { manifest, content } = restored;
      return [
        fields({
          'backup from': manifest.created_at,
          rows: sumOf(manifest.database.rows),
          files: `${content.blobs} of sites, ${content.pieces} of buckets, ${content.bytes} bytes`,
        }),
        ...(content.missing.length > 0
          ? [
              `Missing or damaged in the backup; the next deploy that contains it uploads it again:\n${listed(content.missing)}`,
            ]
          : []),
        'The installation is restored. Start the server.',
      ].join('\n\n');
    },
    isFailure: ({ checked, restored }) => (checked ? !isWhole(checked) : restored.content.missing.length > 0),
  }),
];

function isWhole({ missing, damaged, database }: CheckReport): boolean {
  return missing.length + damaged.length + database.length === 0;
}

function showCheck(report: CheckReport): string {
  const { manifest, checked, missing, damaged, database } = report;
  return [
    fields({
      'backup from': manifest.created_at,
      rows: sumOf(manifest.database.rows),
      'files read': checked,
    }),
    ...(missing.length > 0 ? [`Missing:\n${listed(missing)}`] : []),
    ...(damaged.length > 0 ? [`Damaged:\n${listed(damaged)}`] : []),
    ...(database.length > 0 ? [`Problems of the database:\n${listed(database)}`] : []),
    isWhole(report) ? 'It can be restored.' : 'It is incomplete.',
  ].join('\n\n');
}

function sumOf(rows: Record<string, number>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? [`and ${names.length - NAMES_SHOWN} more`] : [];
  return [...names.slice(0, NAMES_SHOWN), ...more].join('\n');
}
