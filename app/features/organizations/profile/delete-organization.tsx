import { Trans } from '@lingui/react/macro';
import { Button, List, Text } from '@mantine/core';
import { useState } from 'react';
import type { Membership } from '#server/services/organizations/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { useLoadedWhen } from '../../../components/lazy-parts/use-loaded-when.ts';
import { AnchorLink } from '../../../components/links.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { useMemberReason } from '../members/use-member-reason.ts';
import { type ContentsLeft, useContentsLeft } from './use-contents-left.ts';

const loadDialog = () => import('./delete-organization-dialog.tsx');

/** Deleting the organization: the consequences, what still prevents it, and the button. */
export function DeleteOrganization({ membership }: { membership: Membership }) {
  const describe = useErrorMessage();
  const reason = useMemberReason(membership)('organization.delete');
  const [isAsked, setAsked] = useState(false);
  const DeleteOrganizationDialog = useLoadedWhen(isAsked, loadDialog, () => setAsked(false));
  const { id, name } = membership.organization;
  const { queries, left } = useContentsLeft(membership);
  const failed = queries.find((query) => query.isError);
  const isPending = queries.some((query) => query.isPending);
  const isEmpty = Object.values(left).every((isLeft) => !isLeft);

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
        <ErrorNotice onRetry={() => Promise.all(queries.map((query) => query.refetch()))}>
          {describe(failed.error)}
        </ErrorNotice>
      )}
      {!failed && !isPending && !isEmpty && <StillToDelete organizationId={id} left={left} />}
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

function StillToDelete({ organizationId, left }: { organizationId: string; left: ContentsLeft }) {
  return (
    <div role="note">
      <Text size="sm">
        <Trans>It must be empty first. Still to delete:</Trans>
      </Text>
      <List size="sm" mt={4}>
        {left.endpoints && (
          <List.Item>
            <AnchorLink to="/$orgId/cdn" params={{ orgId: organizationId }} size="sm">
              <Trans>its CDN endpoints</Trans>
            </AnchorLink>
          </List.Item>
        )}
        {left.sites && (
          <List.Item>
            <AnchorLink to="/$orgId/sites" params={{ orgId: organizationId }} size="sm">
              <Trans>its sites</Trans>
            </AnchorLink>
          </List.Item>
        )}
        {left.buckets && (
          <List.Item>
            <AnchorLink to="/$orgId/storage" params={{ orgId: organizationId }} size="sm">
              <Trans>its buckets</Trans>
            </AnchorLink>
          </List.Item>
        )}
        {left.credentials && (
          <List.Item>
            <AnchorLink to="/$orgId/credentials" params={{ orgId: organizationId }} size="sm">
              <Trans>its credentials</Trans>
            </AnchorLink>
          </List.Item>
        )}
      </List>
    </div>
  );
}
