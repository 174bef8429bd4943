import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Card, Skeleton, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { WebhooksHeader } from './webhooks-header.tsx';

/** The layout of the page while it is loading. */
export function WebhooksSkeleton() {
  const { t } = useLingui();
  return (
    <>
      <WebhooksHeader
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} disabled>
            <Trans>Create webhook</Trans>
          </Button>
        }
      />
      <Stack gap="md" aria-busy aria-label={t`Loading`} role="status">
        <span className="visually-hidden">
          <Trans>Loading</Trans>
        </span>
        {['first', 'second'].map((key) => (
          <Card key={key}>
            <Skeleton height={18} width="50%" />
            <Skeleton height={14} width="30%" mt="sm" />
          </Card>
        ))}
      </Stack>
    </>
  );
}
