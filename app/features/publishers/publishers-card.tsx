import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Publisher } from '#server/services/publishers/schema.ts';
import { TimeAgo } from '../../components/dates/time-ago.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/page/section-card.tsx';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { AddPublisherForm } from './add-publisher-form.tsx';
import { codeHostName } from './code-host-name.ts';
import { useRemovePublisher } from './use-remove-publisher.tsx';

/** The repositories whose CI deploys to a site without a stored secret. */
export function PublishersCard({ siteId }: { siteId: string }) {
  const { organization, can } = useOrganization();
  const reason = usePermissionReason()('credential.manage');
  const describe = useErrorMessage();
  const [isAdding, setAdding] = useState(false);
  const ofSite = { organization_id: organization.id, site_id: siteId };
  const list = trpc.sites.publishers.list.useQuery(ofSite, { enabled: can('credential.read') });
  if (!can('credential.read')) return null;
  return (
    <SectionCard
      title={<Trans>Deploy from CI</Trans>}
      description={
        <Trans>
          Repositories whose CI can deploy here without a stored secret: each run identifies itself with a
          signed token and gets a credential that lasts a few minutes.
        </Trans>
      }
    >
      {list.error && !list.data ? (
        <ErrorNotice onRetry={list.refetch}>{describe(list.error)}</ErrorNotice>
      ) : list.data ? (
        <Stack gap="md">
          {list.data.publishers.length > 0 && (
            <Stack gap="sm" component="ul" m={0} p={0}>
              {list.data.publishers.map((publisher) => (
                <PublisherRow key={publisher.id} publisher={publisher} canRemove={reason === null} />
              ))}
            </Stack>
          )}
          {isAdding ? (
            <AddPublisherForm ofSite={ofSite} issuers={list.data.issuers} onDone={() => setAdding(false)} />
          ) : reason === null ? (
            <Group>
              <Button variant="default" onClick={() => setAdding(true)}>
                <Trans>Add a repository</Trans>
              </Button>
            </Group>
          ) : (
            <Text size="xs" c="dimmed">
              {reason}
            </Text>
          )}
        </Stack>
      ) : (
        <Skeleton height={36} width="60%" />
      )}
    </SectionCard>
  );
}

function PublisherRow({ publisher, canRemove }: { publisher: Publisher; canRemove: boolean }) {
  const { t } = useLingui();
  const { repository, branch, environment, may_publish, last_used_at } = publisher;
  const remove = useRemovePublisher(publisher);
  const host = codeHostName(publisher.issuer);
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm" style={{ listStyle: 'none' }}>
      <div style={{ minWidth: 0 }}>
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {repository}
        </Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {[
            host,
            branch === '*' ? t`any branch` : t`branch ${branch}`,
            ...(environment === null ? [] : [t`environment ${environment}`]),
            may_publish ? t`publishes` : t`previews only`,
          ].join(' · ')}
        </Text>
        <Text size="sm" c="dimmed">
          {last_used_at ? (
            <Trans>
              Last used <TimeAgo instant={last_used_at} />
            </Trans>
          ) : (
            <Trans>Not used yet</Trans>
          )}
        </Text>
      </div>
      {canRemove && (
        <Button
          variant="default"
          size="xs"
          style={{ flex: 'none' }}
          onClick={() => void remove()}
          aria-label={t`Remove ${repository}, ${branch}`}
        >
          <Trans>Remove</Trans>
        </Button>
      )}
    </Group>
  );
}
