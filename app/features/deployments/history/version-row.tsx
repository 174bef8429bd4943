import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Text } from '@mantine/core';
import { versionState } from '#server/services/deployments/rules.ts';
import type { Version } from '#server/services/deployments/schema.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { revealDirection } from '../../../i18n/reveal-direction.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { useSourceName } from '../upload/use-source-name.ts';
import { OpenVersionActions } from './open-version-actions.tsx';
import type { Resumption } from './use-resumption.ts';
import { VersionButton } from './version-button.tsx';
import { VersionLinks } from './version-links.tsx';
import classes from './version-list.module.css';
import { VersionStateBadge } from './version-state-badge.tsx';

/**
 * One version of the history. An earlier one that was not reverted can be restored; a preview newer than the
 * live version can be published, which reverts nothing.
 */
export function VersionRow(props: {
  site: Site;
  version: Version;
  newer: Version[];
  onChanged: () => void;
  /** Absent while another deploy runs here. */
  onResume?: (resumption: Resumption) => void;
}) {
  const { site, version, newer, onChanged, onResume } = props;
  const { i18n } = useLingui();
  const state = versionState(version);
  const isSuspended = version.suspended_at !== null;
  const sourceName = useSourceName();
  const { can } = useOrganization();
  const { number } = version;
  const size = formatBytes(version.total_bytes, i18n.locale);
  const author = version.created_by;
  return (
    <li className={classes.row} data-state={state} aria-current={state === 'current' ? 'true' : undefined}>
      <div className={classes.line}>
        <div className={classes.what}>
          <span className={classes.number}>#{number}</span>
          <span className={classes.message}>
            {version.message === null ? sourceName(version.source) : revealDirection(version.message)}
          </span>
          <VersionStateBadge state={state} />
          {isSuspended && (
            <Badge color="red">
              <Trans context="version">suspended</Trans>
            </Badge>
          )}
        </div>
        {state === 'other' && !isSuspended && (
          <VersionButton site={site} version={version} newer={newer} onChanged={onChanged} />
        )}
      </div>
      <div className={classes.facts}>
        <TimeAgo instant={version.created_at} />
        <span>
          <Trans>by {author}</Trans>
        </span>
        {version.message !== null && <span>{sourceName(version.source)}</span>}
        <FileCount count={version.file_count} />
        <span>{size}</span>
      </div>
      {isSuspended && (
        <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
          <Trans>The operator has suspended this version: {version.suspension_reason}</Trans>
        </Text>
      )}
      {state === 'open' && onResume && can('deployment.create') && (
        <OpenVersionActions
          site={site}
          version={version}
          onResume={(files) => onResume({ versionId: version.id, files })}
        />
      )}
      {state !== 'open' && <VersionLinks site={site} version={version} />}
    </li>
  );
}

function FileCount({ count }: { count: number }) {
  const { t } = useLingui();
  return <span>{t`${plural(count, { one: '# file', other: '# files' })}`}</span>;
}
