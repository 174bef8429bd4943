import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { Webhook } from '#server/services/webhooks/schema.ts';
import { TimeAgo } from '../../components/dates/time-ago.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ReasonedAction } from '../../components/hints/reasoned-action.tsx';
import { NameLink } from '../../components/links.tsx';
import { EmptyState } from '../../components/lists/empty-state.tsx';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { SecretBanner } from './secret-banner.tsx';
import { useShownSecret } from './use-shown-secret.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import type { GivenWebhook } from './webhook-form.tsx';
import { WebhookStatus } from './webhook-status.tsx';
import { WebhooksHeader } from './webhooks-header.tsx';
import { WebhooksSkeleton } from './webhooks-skeleton.tsx';

const route = getRouteApi('/$orgId/webhooks/');

/** The webhooks of the organization; the dialog that creates one is in the address. */
export function WebhooksPage() {
  const { organization } = useOrganization();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const describe = useErrorMessage();
  const reason = usePermissionReason()('webhook.manage');
  const ofOrganization = { organization_id: organization.id };
  const list = trpc.webhooks.list.useQuery(ofOrganization);
  const utils = trpc.useUtils();
  const create = trpc.webhooks.create.useMutation();
  const { secret, show, markCopied, dismiss } = useShownSecret();
  const closeDialog = () => void navigate({ search: {}, replace: true, resetScroll: false });
  const send = async (given: GivenWebhook) => {
    const made = await create.mutateAsync({ ...ofOrganization, ...given });
    await utils.webhooks.list.invalidate(ofOrganization);
    show(made.secret);
    closeDialog();
  };
  const createButton = (
    <ReasonedAction
      reason={reason}
      onAct={() => void navigate({ search: { create: true }, resetScroll: false })}
    >
      {(action) => (
        <Button leftSection={<IconPlus size={16} stroke={2} aria-hidden />} {...action}>
          <Trans>Create webhook</Trans>
        </Button>
      )}
    </ReasonedAction>
  );
  if (list.isPending) return <WebhooksSkeleton />;
  const webhooks = list.data ?? [];
  return (
    <>
      <WebhooksHeader actions={webhooks.length > 0 && createButton} />
      <Stack gap="md">
        {secret && <SecretBanner secret={secret} onCopied={markCopied} onDismiss={() => void dismiss()} />}
        {list.isError && list.data === undefined ? (
          <ErrorNotice onRetry={list.refetch}>{describe(list.error)}</ErrorNotice>
        ) : webhooks.length === 0 ? (
          <Card padding={0}>
            <EmptyState icon={IconWebhook} title={<Trans>No webhooks yet</Trans>} action={createButton}>
              <Trans>
                A webhook notifies your chat, your pipeline or your own program of what happens here: deploys,
                certificates, spending limits and invoices.
              </Trans>
            </EmptyState>
          </Card>
        ) : (
          webhooks.map((webhook) => <WebhookCard key={webhook.id} webhook={webhook} />)
        )}
      </Stack>
      <WebhookDialog isOpen={search.create === true && reason === null} onSend={send} onClose={closeDialog} />
    </>
  );
}

function WebhookCard({ webhook }: { webhook: Webhook }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const { url, description, events, last_delivered_at } = webhook;
  return (
    <Card component="article" aria-label={url}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
        <div style={{ minWidth: 0 }}>
          <NameLink
            to="/$orgId/webhooks/$webhookId"
            params={{ orgId: organization.id, webhookId: webhook.id }}
            style={{ overflowWrap: 'anywhere' }}
          >
            {description || url}
          </NameLink>
          {description && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {url}
            </Text>
          )}
          <Text size="sm" c="dimmed" title={events.join(', ')}>
            <Plural value={events.length} one="# event" other="# events" />
            {' · '}
            {last_delivered_at ? (
              <Trans>
                last delivered <TimeAgo instant={last_delivered_at} />
              </Trans>
            ) : (
              t`nothing delivered yet`
            )}
          </Text>
        </div>
        <WebhookStatus webhook={webhook} />
      </Group>
    </Card>
  );
}
