import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { Version } from '#server/services/deployments/schema.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { usePublish } from './use-publish.ts';
import { useRollback } from './use-rollback.tsx';

/** Publishes a version newer than the live one, or rolls back to an earlier one. */
export function VersionButton(props: {
  site: Site;
  version: Version;
  newer: Version[];
  onChanged: () => void;
}) {
  const { site, version, newer, onChanged } = props;
  const { t } = useLingui();
  const reasonFor = usePermissionReason();
  const rollback = useRollback({ site, version, newer, onRolledBack: onChanged });
  const publication = usePublish({ site, version, onPublished: onChanged });
  const { number } = version;
  if (newer.some((other) => other.is_current)) {
    return (
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
    );
  }
  return (
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
  );
}
