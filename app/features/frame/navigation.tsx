import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, NavLink, Stack } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { useHomeOrganization } from '../organizations/use-organization.ts';
import classes from './navigation.module.css';
import { NAVIGATION_ITEMS } from './navigation-items.ts';

const CURRENT = { 'data-current': true, 'aria-current': 'page' } as const;

/** The left navigation; `/` of the organization is the dashboard, everything else matches by its beginning. */
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
    </Stack>
  );
}
