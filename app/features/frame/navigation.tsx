import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Divider, NavLink, Stack } from '@mantine/core';
import { IconSettings, IconUsers } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useManagedHandle } from '../organizations/use-managed-handle.ts';
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
      {NAVIGATION_ITEMS.map(({ label, icon: ItemIcon, to, section, feature }) => {
        const common = {
          className: classes.item,
          label: i18n._(label),
          leftSection: <ItemIcon size={18} stroke={1.6} aria-hidden />,
        };
        if (!to || (feature && !organization.features.includes(feature))) {
          return (
            <NavLink
              key={label.id}
              {...common}
              component="span"
              disabled
              aria-disabled
              rightSection={
                <Badge size="sm" className={classes.soon}>
                  <Trans>soon</Trans>
                </Badge>
              }
            />
          );
        }
        return (
          <NavLink
            key={label.id}
            {...common}
            renderRoot={(rootProps) => (
              <Link
                {...rootProps}
                to={to}
                params={{ orgId: organization.id }}
                activeOptions={{ exact: to === '/$orgId' }}
                activeProps={CURRENT}
                inactiveProps={section !== undefined && section === current ? CURRENT : {}}
                onClick={onNavigate}
              />
            )}
          />
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
        <NavLink
          className={classes.item}
          label={<Trans>Members</Trans>}
          leftSection={<IconUsers size={18} stroke={1.6} aria-hidden />}
          renderRoot={(rootProps) => (
            <Link
              {...rootProps}
              to="/identity/organizations/$handle"
              params={{ handle }}
              search={{ tab: 'members' }}
              activeOptions={{ includeSearch: false }}
              activeProps={CURRENT}
              onClick={onNavigate}
            />
          )}
        />
      )}
      <NavLink
        className={classes.item}
        label={<Trans>Settings</Trans>}
        leftSection={<IconSettings size={18} stroke={1.6} aria-hidden />}
        renderRoot={(rootProps) => (
          <Link
            {...rootProps}
            to="/$orgId/settings"
            params={{ orgId: organization.id }}
            activeProps={CURRENT}
            inactiveProps={isProfile ? CURRENT : {}}
            onClick={onNavigate}
          />
        )}
      />
    </>
  );
}
