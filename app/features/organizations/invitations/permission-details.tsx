import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { Permission } from '#server/services/organizations/rules.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';
import { PermissionWords } from '../members/permission-guide.tsx';
import classes from './invitation-page.module.css';

/** Who invites, with which permission, until when; what the permission allows can be expanded. */
export function PermissionDetails(props: { permission: Permission; inviter: string; expiresAt: string }) {
  const { i18n } = useLingui();
  const { inviter } = props;
  const permission = i18n._(PERMISSION_NAMES[props.permission]);
  return (
    <div>
      <Text ta="center" className={classes.words} mx="auto">
        <Trans>
          <strong>{inviter}</strong> invites you with the <strong>{permission}</strong> permission.
        </Trans>
      </Text>
      <Text size="sm" c="dimmed" ta="center" mb="xs" component="div">
        <Trans>
          The invitation expires <TimeAgo instant={props.expiresAt} />.
        </Trans>
      </Text>
      <details className={classes.details}>
        <summary>
          <Trans>What {permission} allows</Trans>
        </summary>
        <div className={classes.allowed}>
          <PermissionWords permission={props.permission} />
        </div>
      </details>
    </div>
  );
}
