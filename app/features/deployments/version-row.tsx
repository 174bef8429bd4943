import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Anchor, Badge, Button, Collapse, Text, UnstyledButton } from '@mantine/core';
import { IconChevronRight, IconExternalLink } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { versionState } from '#server/services/deployments/rules.ts';
import type { Version } from '#server/services/deployments/schema.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { ReasonedAction } from '../../components/reasoned-action.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatBytes } from '../../i18n/format-bytes.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { OpenVersionActions } from './open-version-actions.tsx';
import { usePublish } from './use-publish.ts';
import type { Resumption } from './use-resumption.ts';
import { useRollback } from './use-rollback.tsx';
import { useSourceName } from './use-source-name.ts';
import { VersionChanges } from './version-changes.tsx';
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
  const { t, i18n } = useLingui();
  const state = versionState(version);
  const isSuspended = version.suspended_at !== null;
  const sourceName = useSourceName();
  const reasonFor = usePermissionReason();
  const { can } = useOrganization();
  const isNewerThanLive = !newer.some((other) => other.is_current);
  const rollback = useRollback({ site, version, newer, onRolledBack: onChanged });
  const publication = usePublish({ site, version, onPublished: onChanged });
  const [isExpanded, setExpanded] = useState(false);
  const changesId = useId();
  const { number } = version;
  const size = formatBytes(version.total_bytes, i18n.locale);
  const author = version.created_by;
  return (
    <li className={classes.row} data-state={state} aria-current={state === 'current' ? 'true' : undefined}>
      <div className={classes.line}>
        <div className={classes.what}>
          <span className={classes.number}>#{number}</span>
          <span className={classes.message}>{version.message ?? sourceName(version.source)}</span>
          <VersionStateBadge state={state} />
          {isSuspended && (
            <Badge color="red">
              <Trans context="version">suspended</Trans>
            </Badge>
          )}
        </div>
        {state === 'other' && !isSuspended && isNewerThanLive && (
          <ReasonedAction reason={reasonFor('deployment.create')} onAct={() => void publication.publish()}>
            {(action) => (
              <Button
                size="xs"
                loading={publication.isPending}
                aria-label={t`Publish version ${number}`}
                style={{ flex: 'none' }}
                {...action}
              >
                <Trans>Publish</Trans>
              </Button>
            )}
          </ReasonedAction>
        )}
        {state === 'other' && !isSuspended && !isNewerThanLive && (
          <ReasonedAction reason={reasonFor('deployment.rollback')} onAct={() => void rollback.rollBack()}>
            {(action) => (
              <Button
                variant="default"
                size="xs"
                loading={rollback.isPending}
                aria-label={t`Roll back to version ${number}`}
                style={{ flex: 'none' }}
                {...action}
              >
                <Trans>Roll back</Trans>
              </Button>
            )}
          </ReasonedAction>
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
      {state !== 'open' && (
        <>
          <div className={classes.links}>
            <UnstyledButton
              className="screen-only"
              fz="xs"
              c="var(--mantine-color-anchor)"
              aria-expanded={isExpanded}
              aria-controls={changesId}
              aria-label={t`What changed in version ${number}`}
              onClick={() => setExpanded(!isExpanded)}
            >
              <IconChevronRight size={12} stroke={2} className={classes.chevron} aria-hidden />{' '}
              <Trans>What changed</Trans>
            </UnstyledButton>
            <Anchor
              href={version.preview_url}
              target="_blank"
              rel="noreferrer"
              size="xs"
              aria-label={t`Preview of version ${number}`}
            >
              <Trans>Preview</Trans> <IconExternalLink size={12} stroke={1.8} aria-hidden />
            </Anchor>
          </div>
          <Collapse expanded={isExpanded} id={changesId}>
            {isExpanded && <VersionChanges siteId={site.id} versionId={version.id} />}
          </Collapse>
        </>
      )}
    </li>
  );
}

function FileCount({ count }: { count: number }) {
  const { t } = useLingui();
  return <span>{t`${plural(count, { one: '# file', other: '# files' })}`}</span>;
}
