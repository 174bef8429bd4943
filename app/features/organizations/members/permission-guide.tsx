import { Trans, useLingui } from '@lingui/react/macro';
import { Badge } from '@mantine/core';
import { PERMISSIONS, type Permission } from '#server/services/organizations/rules.ts';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';
import { ACTION_WORDS, actionsAddedBy, weakerThan } from './action-words.ts';
import classes from './permission-guide.module.css';

/** What each permission allows, strongest first, read from the one table that the server enforces. */
export function PermissionGuide({ own }: { own: Permission }) {
  const { i18n } = useLingui();
  return (
    <dl className={classes.guide}>
      {PERMISSIONS.toReversed().map((permission) => (
        <div key={permission} className={classes.entry}>
          <dt className={classes.name}>
            {i18n._(PERMISSION_NAMES[permission])}
            {permission === own && (
              <Badge size="sm">
                <Trans context="permission">yours</Trans>
              </Badge>
            )}
          </dt>
          <dd className={classes.words}>
            <PermissionWords permission={permission} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What one permission allows: the weaker one it includes, and what it adds. */
export function PermissionWords({ permission }: { permission: Permission }) {
  const { i18n } = useLingui();
  const weaker = weakerThan(permission);
  const weakerName = weaker && i18n._(PERMISSION_NAMES[weaker]);
  return (
    <>
      {weakerName && <Trans>Everything that {weakerName} allows, and:</Trans>}
      <ul className={classes.list}>
        {actionsAddedBy(permission).map((action) => (
          <li key={action}>{i18n._(ACTION_WORDS[action])}</li>
        ))}
        {permission === 'owner' && (
          <li>
            <Trans>Make others owners, and change or remove owners</Trans>
          </li>
        )}
      </ul>
    </>
  );
}
