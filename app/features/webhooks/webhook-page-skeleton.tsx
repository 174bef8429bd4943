import { useLingui } from '@lingui/react/macro';
import { Card, Group, Skeleton, Stack } from '@mantine/core';

/** A webhook's page before its data, with the final layout. */
export function WebhookPageSkeleton() {
  const { t } = useLingui();
  return (
    <div role="status" aria-busy aria-label={t`Loading`}>
      <Skeleton height={14} width={160} mb="sm" />
      <Group justify="space-between" mb="lg">
        <Stack gap={8} flex="1 1 12rem">
          <Skeleton height={30} width={200} maw="100%" />
          <Skeleton height={14} width={260} maw="100%" />
        </Stack>
        <Skeleton height={36} width={180} maw="100%" />
      </Group>
      <Stack gap="lg">
        {[120, 72].map((width) => (
          <Card key={width}>
            <Skeleton height={20} width={width} mb="md" />
            <Skeleton height={40} width={280} maw="100%" />
            <Skeleton height={40} mt="sm" />
          </Card>
        ))}
      </Stack>
    </div>
  );
}
