import { Trans } from '@lingui/react/macro';
import { UnstyledButton } from '@mantine/core';
import { IconArrowUpRight, IconHistory, IconPlus, IconUsers, IconWebhook } from '@tabler/icons-react';
import { FOCUS_STOP } from '../../../components/focus/move-focus.ts';
import { UnstyledLink } from '../../../components/links.tsx';
import { NewTabHint } from '../../../components/new-tab-hint.tsx';
import { useSettings } from '../../../use-settings.ts';
import { useMemberships } from '../memberships-provider.tsx';
import { useManagedHandle } from '../profile/use-managed-handle.ts';
import classes from './organization-switcher.module.css';

/** Links about organizations: the members, the log and the webhooks of the current one, and creating a new one. */
export function OrganizationLinks({ onFollow }: { onFollow: () => void }) {
  const { membership } = useMemberships();
  const { isIdentityEmbedded, codeHostUrl } = useSettings();
  const handle = useManagedHandle(membership?.organization);
  const common = { className: classes.entry, onClick: onFollow, ...FOCUS_STOP };
  return (
    <div className={classes.footer}>
      {handle !== null && (
        <UnstyledLink
          to="/identity/organizations/$handle"
          params={{ handle }}
          search={{ tab: 'members' }}
          {...common}
        >
          <IconUsers size={16} stroke={1.6} aria-hidden />
          <Trans>Members and settings</Trans>
        </UnstyledLink>
      )}
      {membership && (
        <UnstyledLink
          to="/$orgId/audit"
          params={{ orgId: membership.organization.id }}
          search={{}}
          {...common}
        >
          <IconHistory size={16} stroke={1.6} aria-hidden />
          <Trans>Audit log</Trans>
        </UnstyledLink>
      )}
      {membership && (
        <UnstyledLink
          to="/$orgId/webhooks"
          params={{ orgId: membership.organization.id }}
          search={{}}
          {...common}
        >
          <IconWebhook size={16} stroke={1.6} aria-hidden />
          <Trans>Webhooks</Trans>
        </UnstyledLink>
      )}
      {isIdentityEmbedded && (
        <UnstyledLink to="/identity/organizations/new" {...common}>
          <IconPlus size={16} stroke={1.6} aria-hidden />
          <Trans>New organization</Trans>
        </UnstyledLink>
      )}
      {!isIdentityEmbedded && codeHostUrl && (
        <UnstyledButton
          component="a"
          href={`${codeHostUrl}/org/create`}
          target="_blank"
          rel="noreferrer"
          {...common}
        >
          <IconPlus size={16} stroke={1.6} aria-hidden />
          <span className={classes.text}>
            <Trans>New organization</Trans>
            <NewTabHint />
          </span>
          <IconArrowUpRight size={15} aria-hidden />
        </UnstyledButton>
      )}
    </div>
  );
}
