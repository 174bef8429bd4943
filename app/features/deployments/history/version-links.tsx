import { Trans, useLingui } from '@lingui/react/macro';
import { Anchor, Collapse, UnstyledButton } from '@mantine/core';
import { IconChevronRight, IconExternalLink } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { Version } from '#server/services/deployments/schema.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { VersionChanges } from './version-changes.tsx';
import classes from './version-list.module.css';

/** Unfolds what changed in a sealed version, and leads to its preview. */
export function VersionLinks({ site, version }: { site: Site; version: Version }) {
  const { t } = useLingui();
  const [isExpanded, setExpanded] = useState(false);
  const changesId = useId();
  const { number } = version;
  return (
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
          aria-label={t`Preview of version ${number} (opens in a new tab)`}
        >
          <Trans>Preview</Trans> <IconExternalLink size={12} stroke={1.8} aria-hidden />
        </Anchor>
      </div>
      <Collapse expanded={isExpanded} id={changesId}>
        {isExpanded && <VersionChanges siteId={site.id} versionId={version.id} />}
      </Collapse>
    </>
  );
}
