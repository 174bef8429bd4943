import { Trans, useLingui } from '@lingui/react/macro';
import { Card, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import type { WebhookMessage } from '#server/services/webhooks/schema.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LoadMorePages } from '../../components/lists/load-more.tsx';
import { SectionCard } from '../../components/page/section-card.tsx';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { MessageRow } from './message-row.tsx';

type Shown = 'all' | WebhookMessage['status'];

const isShown = (value: string): value is Shown => ['all', 'waiting', 'delivered', 'failed'].includes(value);

/**
 * What was sent to the webhook in the last 30 days, newest first; it is refreshed while deliveries are in
 * progress.
 */
export function MessageList(props: {
  webhookId: string;
  /** The state of the messages to show, as the address says; all of them for any other text. */
  shown: string | undefined;
  onShow: (state: string | undefined) => void;
  /** Null when nothing can be redelivered. */
  onRedeliver: ((message: WebhookMessage) => Promise<void>) | null;
}) {
  const { webhookId, onShow, onRedeliver } = props;
  const shown = props.shown !== undefined && isShown(props.shown) ? props.shown : 'all';
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const list = trpc.webhooks.messages.useInfiniteQuery(
    {
      organization_id: organization.id,
      webhook_id: webhookId,
      limit: 25,
      ...(shown === 'all' ? {} : { status: shown }),
    },
    {
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) =>
        state.data?.pages[0]?.items.some(({ status }) => status === 'waiting') ? 2_000 : 10_000,
    },
  );
  const messages = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <SectionCard
      title={<Trans>Log</Trans>}
      description={<Trans>What was sent in the last 30 days, with every attempt.</Trans>}
    >
      <Stack gap="md">
        <SegmentedControl
          aria-label={t`State`}
          value={shown}
          onChange={(value) => onShow(value === 'all' ? undefined : value)}
          data={[
            { value: 'all', label: t`All` },
            { value: 'waiting', label: t`Waiting` },
            { value: 'delivered', label: t`Delivered` },
            { value: 'failed', label: t`Failed` },
          ]}
          style={{ alignSelf: 'flex-start' }}
        />
        {list.isPending ? (
          <Skeleton height={48} />
        ) : list.isError && messages.length === 0 ? (
          <ErrorNotice onRetry={list.refetch}>{describe(list.error)}</ErrorNotice>
        ) : messages.length === 0 ? (
          <Text size="sm" c="dimmed" role="status">
            {shown === 'all' ? (
              <Trans>Nothing was sent yet. Send a test event to see whether it arrives.</Trans>
            ) : (
              <Trans>There is none.</Trans>
            )}
          </Text>
        ) : (
          <Card padding={0} withBorder aria-busy={list.isPlaceholderData}>
            <Stack gap={0} component="ul" m={0} p={0} aria-label={t`Log`}>
              {messages.map((message) => (
                <MessageRow key={message.id} message={message} onRedeliver={onRedeliver} />
              ))}
            </Stack>
          </Card>
        )}
        <LoadMorePages query={list} />
      </Stack>
    </SectionCard>
  );
}
