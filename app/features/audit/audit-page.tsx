import { Trans, useLingui } from '@lingui/react/macro';
import { Card, Stack, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { AuditEvent } from '#server/services/audit/schema.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { EmptyState } from '../../components/lists/empty-state.tsx';
import { LoadMorePages } from '../../components/lists/load-more.tsx';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { CsvButton } from '../usage/csv-button.tsx';
import classes from './audit.module.css';
import { AuditFilters } from './audit-filters.tsx';
import { AuditHeader } from './audit-header.tsx';
import { AuditRow } from './audit-row.tsx';
import { type AuditSearch, filterOf } from './audit-search.ts';
import { AuditListSkeleton } from './audit-skeleton.tsx';

const route = getRouteApi('/$orgId/audit');

/** What was done in the organization, newest first; the filters are in the address. */
export function AuditPage() {
  const { orgId } = route.useParams();
  const filter = filterOf(route.useSearch());
  return (
    <>
      <AuditHeader
        action={
          <CsvButton
            organizationId={orgId}
            address={`/api/v1/audit/events.csv?${new URLSearchParams({ ...filter })}`}
          />
        }
      />
      <Stack gap="lg">
        <AuditFilters organizationId={orgId} filter={filter} />
        <AuditList organizationId={orgId} filter={filter} />
      </Stack>
    </>
  );
}

/** The events in all states: loading, refused or failed, none, rows; further pages load while scrolling. */
function AuditList({ organizationId, filter }: { organizationId: string; filter: AuditSearch }) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const events = trpc.audit.list.useInfiniteQuery(
    { organization_id: organizationId, ...filter },
    { getNextPageParam: (page) => page.next_cursor ?? undefined, placeholderData: keepPreviousData },
  );
  const rows = events.data?.pages.flatMap((page) => page.items) ?? [];
  if (events.isPending) return <AuditListSkeleton />;
  if (events.isError && rows.length === 0) {
    return <ErrorNotice onRetry={events.refetch}>{describe(events.error)}</ErrorNotice>;
  }
  if (rows.length === 0) return <NoEvents organizationId={organizationId} filter={filter} />;
  return (
    <Card padding={0} aria-busy={events.isPlaceholderData}>
      <OnlyOne filter={filter} event={rows[0]} />
      <ul className={classes.list} aria-label={t`Events`}>
        {rows.map((event) => (
          <AuditRow key={event.id} event={event} organizationId={organizationId} />
        ))}
      </ul>
      <LoadMorePages query={events} />
    </Card>
  );
}

/** Names the one person or resource that the log is filtered by: the address contains only an id. */
function OnlyOne({ filter, event }: { filter: AuditSearch; event: AuditEvent | undefined }) {
  if (!event || (filter.actor_id === undefined && filter.resource_id === undefined)) return null;
  const name = filter.actor_id === undefined ? (event.resource.name ?? event.resource.id) : event.actor.name;
  return (
    <Text size="sm" c="dimmed" className={classes.only}>
      {filter.actor_id === undefined ? <Trans>Only about {name}</Trans> : <Trans>Only what {name} did</Trans>}
    </Text>
  );
}

function NoEvents({ organizationId, filter }: { organizationId: string; filter: AuditSearch }) {
  const isNarrowed = Object.keys(filter).length > 0;
  return (
    <Card role="status">
      {isNarrowed ? (
        <EmptyState
          icon={IconHistory}
          title={<Trans>Nothing matches</Trans>}
          action={
            <ButtonLink to="/$orgId/audit" params={{ orgId: organizationId }} search={{}} variant="default">
              <Trans>Show all events</Trans>
            </ButtonLink>
          }
        >
          <Trans>No event matches these filters.</Trans>
        </EmptyState>
      ) : (
        <EmptyState icon={IconHistory} title={<Trans>Nothing has happened yet</Trans>}>
          <Trans>
            Changes by people, credentials and the platform are listed here, with who made them and when.
          </Trans>
        </EmptyState>
      )}
    </Card>
  );
}
