import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ORGANIZATION_STATES } from '#server/services/operator/rules.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { RowBadge } from '../../../components/lists/row-badge.tsx';
import { trpc } from '../../../trpc.ts';
import { ListFrame } from '../list-frame.tsx';
import classes from '../operator.module.css';
import { OrganizationPanel } from './organization-panel.tsx';

const route = getRouteApi('/operator');

/** Every organization; each opens beside the list. */
export function OrganizationsView({ mayChange }: { mayChange: boolean }) {
  const { t } = useLingui();
  const { search, state } = route.useSearch();
  const [openId, setOpenId] = useState<string | null>(null);
  const organizations = trpc.operator.organizations.useInfiniteQuery(
    { search, state: ORGANIZATION_STATES.find((known) => known === state) },
    { getNextPageParam: (page) => page.next_cursor ?? undefined, placeholderData: keepPreviousData },
  );
  const rows = organizations.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <ListFrame
        label={t`Organizations`}
        searchLabel={t`Search organizations`}
        states={[
          { value: 'active', label: t({ context: 'organizations', message: 'Active' }) },
          { value: 'suspended', label: t({ context: 'organizations', message: 'Suspended' }) },
          { value: 'detached', label: t({ context: 'organizations', message: 'Closed' }) },
        ]}
        query={organizations}
        isEmpty={rows.length === 0}
      >
        {rows.map((organization) => (
          <li key={organization.id} className={classes.row}>
            <div className={classes.name}>
              <Text size="sm" fw={500} className={classes.words}>
                <bdi>{organization.name}</bdi>{' '}
                {organization.kind === 'personal' && (
                  <RowBadge colour="gray">
                    <Trans>Workspace</Trans>
                  </RowBadge>
                )}{' '}
                {organization.suspended_at !== null && (
                  <RowBadge colour="red">
                    <Trans context="organization">Suspended</Trans>
                  </RowBadge>
                )}{' '}
                {organization.detached_at !== null && (
                  <RowBadge colour="yellow">
                    <Trans context="organization">Closed</Trans>
                  </RowBadge>
                )}
              </Text>
              <Text size="xs" c="dimmed" className={classes.words}>
                {organization.handle ?? organization.external_id} ·{' '}
                <TimeAgo instant={organization.created_at} />
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              aria-label={t`Show ${organization.name}`}
              onClick={() => setOpenId(organization.id)}
            >
              <Trans>Show</Trans>
            </Button>
          </li>
        ))}
      </ListFrame>
      <OrganizationPanel id={openId} mayChange={mayChange} onClose={() => setOpenId(null)} />
    </>
  );
}
