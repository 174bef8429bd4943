import { Trans } from '@lingui/react/macro';
import { Button, List, Text } from '@mantine/core';
import { useState } from 'react';
import type { Membership } from '#server/services/organizations/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { useLoadedWhen } from '../../../components/lazy-parts/use-loaded-when.ts';
import { AnchorLink } from '../../../components/links.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { useErrorMessage } from '../../../i18n/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useBucketPages } from '../../storage/buckets/use-buckets.ts';
import { hasStorage } from '../../storage/has-storage.ts';
import { useMemberReason } from '../members/use-member-reason.ts';

const loadDialog = () => import('./delete-organization-dialog.tsx');

/** Deleting the organization: the consequences, what still prevents it, and the button. */
export function DeleteOrganization({ membership }: { membership: Membership }) {
  const describe = useErrorMessage();
  const reason = useMemberReason(membership)('organization.delete');
  const [isAsked, setAsked] = useState(false);
  const DeleteOrganizationDialog = useLoadedWhen(isAsked, loadDialog, () => setAsked(false));
  const { id, name } = membership.organization;
  const inIt = { organization_id: id };
  const sites = trpc.sites.list.useQuery({ ...inIt, limit: 1 });
  const endpoints = trpc.cdn.page.useQuery({ ...inIt, limit: 1 });
  const credentials = trpc.credentials.page.useQuery({ ...inIt, limit: 1 });
  const isStorageOn = hasStorage(membership.organization);
  const buckets = useBucketPages(id, undefined, isStorageOn);
  const queries = [sites, endpoints, credentials, ...(isStorageOn ? [buckets.pages] : [])];
  const failed = queries.find((query) => query.isError);
  const isPending = queries.some((query) => query.isPending);
  const hasSites = (sites.data?.items.length ?? 0) > 0;
  const hasEndpoints = (endpoints.data?.items.length ?? 0) > 0;
  const hasCredentials = (credentials.data?.items.length ?? 0) > 0;
  // One that is being deleted does not prevent it.
  const hasBuckets = buckets.pages.hasNextPage || buckets.rows.some(({ status }) => status !== 'deleting');
  const isEmpty = !hasSites && !hasEndpoints && !hasBuckets && !hasCredentials;

  return (
    <SectionCard
      title={<Trans>Delete the organization</Trans>}
      description={
        <Trans>
          Its members lose access, its invitations stop working, and its short name becomes free. This cannot
          be undone.
        </Trans>
      }
    >
      {failed && (
        <ErrorNotice
          onRetry={() => void Promise.all(queries.map((query) => query.refetch()))}
          isRetrying={queries.some((query) => query.isFetching)}
        >
          {describe(failed.error)}
        </ErrorNotice>
      )}
      {!failed && !isPending && !isEmpty && (
        <div role="note">
          <Text size="sm">
            <Trans>It must be empty first. Still to delete:</Trans>
          </Text>
          <List size="sm" mt={4}>
            {hasEndpoints && (
              <List.Item>
                <AnchorLink to="/$orgId/cdn" params={{ orgId: id }} size="sm">
                  <Trans>its CDN endpoints</Trans>
                </AnchorLink>
              </List.Item>
            )}
            {hasSites && (
              <List.Item>
                <AnchorLink to="/$orgId/sites" params={{ orgId: id }} size="sm">
                  <Trans>its sites</Trans>
                </AnchorLink>
              </List.Item>
            )}
            {hasBuckets && (
              <List.Item>
                <AnchorLink to="/$orgId/storage" params={{ orgId: id }} size="sm">
                  <Trans>its buckets</Trans>
                </AnchorLink>
              </List.Item>
            )}
            {hasCredentials && (
              <List.Item>
                <AnchorLink to="/$orgId/credentials" params={{ orgId: id }} size="sm">
                  <Trans>its credentials</Trans>
                </AnchorLink>
              </List.Item>
            )}
          </List>
        </div>
      )}
      {!failed && (isPending || isEmpty) && (
        <ReasonedAction reason={reason} onAct={() => setAsked(true)}>
          {(action) => (
            <Button
              variant="default"
              c="red"
              loading={isPending}
              style={{ alignSelf: 'flex-start' }}
              {...action}
            >
              <Trans>Delete organization</Trans>
            </Button>
          )}
        </ReasonedAction>
      )}
      {isAsked && DeleteOrganizationDialog && (
        <DeleteOrganizationDialog
          organization={{ id, name, handle: membership.organization.handle ?? '' }}
          onClosed={() => setAsked(false)}
        />
      )}
    </SectionCard>
  );
}
