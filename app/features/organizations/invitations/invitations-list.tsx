import { Trans, useLingui } from '@lingui/react/macro';
import { Card, Skeleton, Text, Title } from '@mantine/core';
import type { Membership } from '#server/services/organizations/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { LoadMorePages } from '../../../components/lists/load-more.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { InvitationRow } from './invitation-row.tsx';
import classes from './invitations-tab.module.css';

/** How often the list is read again while a message is being sent. */
const DELIVERY_POLL_MS = 4000;

/** The open invitations in all states: loading, failed, none, rows. */
export function InvitationsList(props: { membership: Membership; onRevoked: (id: string) => void }) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const invitations = trpc.organizations.invitations.useInfiniteQuery(
    { organization_id: props.membership.organization.id },
    {
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      refetchInterval: ({ state }) => {
        const items = state.data?.pages.flatMap((page) => page.items) ?? [];
        return items.some((invitation) => invitation.delivery === 'queued') && DELIVERY_POLL_MS;
      },
    },
  );
  const rows = invitations.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-labelledby="open-invitations">
      <Title order={2} id="open-invitations" mb="sm">
        <Trans>Open invitations</Trans>
      </Title>
      {invitations.isPending && (
        <Card role="status" aria-busy>
          <span className="visually-hidden">
            <Trans>Loading</Trans>
          </span>
          <Skeleton height={16} width="45%" />
          <Skeleton height={12} width="60%" mt="xs" />
        </Card>
      )}
      {invitations.isError && rows.length === 0 && (
        <ErrorNotice onRetry={invitations.refetch}>{describe(invitations.error)}</ErrorNotice>
      )}
      {invitations.data && (
        <Card padding={0}>
          {rows.length === 0 ? (
            <Text c="dimmed" size="sm" ta="center" p="xl">
              <Trans>
                There are no open invitations. Invitations are listed here until they are used or expire.
              </Trans>
            </Text>
          ) : (
            <ul className={classes.list} aria-label={t`Open invitations`}>
              {rows.map((invitation) => (
                <InvitationRow
                  key={invitation.id}
                  invitation={invitation}
                  membership={props.membership}
                  onRevoked={props.onRevoked}
                />
              ))}
            </ul>
          )}
          <LoadMorePages query={invitations} />
        </Card>
      )}
    </section>
  );
}
