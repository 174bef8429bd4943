import { useLingui } from '@lingui/react/macro';
import { ActionIcon, Checkbox } from '@mantine/core';
import { IconDownload, IconFile, IconFolder } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ObjectEntry } from '#server/services/storage/schema.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { revealDirection } from '../../../i18n/reveal-direction.ts';
import { nameOf } from './key-names.ts';
import classes from './object-list.module.css';
import { useBucketParams } from './use-bucket-params.ts';
import { useDownload } from './use-download.ts';

/** A folder or an object of the list. */
export function ObjectRow(props: {
  entry: ObjectEntry;
  prefix: string;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}) {
  const { entry, prefix, isChosen, onChoose } = props;
  const { t, i18n } = useLingui();
  const { organization_id: orgId, bucket_id: bucketId } = useBucketParams();
  const download = useDownload();
  const name = nameOf(entry.key, prefix);
  const isFolder = entry.kind === 'folder';
  const EntryIcon = isFolder ? IconFolder : IconFile;
  return (
    <li className={classes.row} data-key={entry.key}>
      <Checkbox
        size="xs"
        aria-label={t`Select ${name}`}
        checked={isChosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <Link
        className={classes.name}
        to="/$orgId/storage/$bucketId"
        params={{ orgId, bucketId }}
        search={isFolder ? { prefix: entry.key } : (before) => ({ ...before, object: entry.key })}
        // An object opens in a panel beside its list.
        resetScroll={isFolder}
        title={revealDirection(entry.key)}
      >
        <EntryIcon size={17} stroke={1.6} className={classes.icon} aria-hidden />
        <span>{isFolder ? `${name}/` : name}</span>
      </Link>
      <span className={classes.size}>{isFolder ? '' : formatBytes(entry.size, i18n.locale)}</span>
      <span className={classes.modified}>{isFolder ? '' : <TimeAgo instant={entry.modified_at} />}</span>
      <span className={classes.actions}>
        {!isFolder && (
          <ActionIcon
            aria-label={t`Download ${name}`}
            title={t`Download`}
            loading={download.isPending}
            onClick={() => void download.start(entry.key)}
          >
            <IconDownload size={17} stroke={1.6} aria-hidden />
          </ActionIcon>
        )}
      </span>
    </li>
  );
}
