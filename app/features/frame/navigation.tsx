import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Divider, Stack } from '@mantine/core';
import { type Icon, IconSettings, IconUsers } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useManagedHandle } from '../organizations/profile/use-managed-handle.ts';
import { useHomeOrganization } from '../organizations/use-organization.ts';
import classes from './navigation.module.css';
import { NAVIGATION_ITEMS } from './navigation-items.ts';

const CURRENT = { 'data-current': true, 'aria-current': 'page' } as const;

/** The left navigation; `/` of the organization is the dashboard, everything else matches by prefix. */
export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { i18n, t } = useLingui();
  const { organization } = useHomeOrganization();
  const current = useRouterState({ select: ({ location }) => location.pathname.split('/')[2] });
  return (
    <Stack component="nav" gap={2} aria-label={t`Main navigation`} p="sm">
      {NAVIGATION_ITEMS.map(({ label, icon, to, section, feature }) => {
        if (!to || (feature && !organization.features.includes(feature))) {
          return (
            <span key={label.id} className={classes.item} data-disabled aria-disabled>
              <Face icon={icon} label={i18n._(label)} />
              <Badge size="sm" className={classes.soon}>
                <Trans>soon</Trans>
              </Badge>
            </span>
          );
        }
        return (
          <Link
            key={label.id}
            className={classes.item}
            to={to}
            params={{ orgId: organization.id }}
            activeOptions={{ exact: to === '/$orgId' }}
            activeProps={CURRENT}
            inactiveProps={section !== undefined && section === current ? CURRENT : {}}
            onClick={onNavigate}
          >
            <Face icon={icon} label={i18n._(label)} />
          </Link>
        );
      })}
      <Divider my="xs" />
      <OwnPages onNavigate={onNavigate} />
    </Stack>
  );
}

/** The members of the organization, where they are managed here, and the person's own settings. */
function OwnPages({ onNavigate }: { onNavigate: () => void }) {
  const { organization } = useHomeOrganization();
  const handle = useManagedHandle(organization);
  const isProfile = useRouterState({ select: ({ location }) => location.pathname === '/identity/profile' });
  return (
    <>
      {handle !== null && (
        <Link
          className={classes.item}
          to="/identity/organizations/$handle"
          params={{ handle }}
          search={{ tab: 'members' }}
          activeOptions={{ includeSearch: false }}
          activeProps={CURRENT}
          onClick={onNavigate}
        >
          <Face icon={IconUsers} label={<Trans>Members</Trans>} />
        </Link>
      )}
      <Link
        className={classes.item}
        to="/$orgId/settings"
        params={{ orgId: organization.id }}
        activeProps={CURRENT}
        inactiveProps={isProfile ? CURRENT : {}}
        onClick={onNavigate}
      >
        <Face icon={IconSettings} label={<Trans>Settings</Trans>} />
      </Link>
    </>
  );
}

/** What an entry looks like. Mantine's link can hold other links; what folds and unfolds them would come with every page. */
function Face({ icon: ItemIcon, label }: { icon: Icon; label: ReactNode }) {
  return (
    <>
      <ItemIcon size={18} stroke={1.6} aria-hidden />
      <span className={classes.label}>{label}</span>
    </>
  );
}
