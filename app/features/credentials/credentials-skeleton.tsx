import { Trans, useLingui } from '@lingui/react/macro';
import { Card, Group, Skeleton, Stack } from '@mantine/core';
import { CredentialsHeader } from './credentials-header.tsx';

/** The layout of the credentials page while the list is loading. */
export function CredentialsSkeleton() {
  const { t } = useLingui();
  return (
    <>
      <CredentialsHeader />
      <Stack gap="md" aria-busy aria-label={t`Loading`} role="status">
        <span className="visually-hidden">
          <Trans>Loading</Trans>
        </span>
        {['first', 'second', 'third'].map((key) => (
          <Card key={key}>
            <Group justify="space-between">
              <Skeleton height={20} width={180} />
              <Skeleton height={28} width={60} />
            </Group>
            <Skeleton height={14} width="45%" mt="sm" />
            <Skeleton height={34} mt="md" radius="md" />
            <Group gap="lg" mt="md">
              <Skeleton height={14} width={110} />
              <Skeleton height={14} width={110} />
              <Skeleton height={14} width={110} />
            </Group>
            <Group gap="xs" mt="md">
              <Skeleton height={22} width={96} />
              <Skeleton height={22} width={120} />
            </Group>
          </Card>
        ))}
      </Stack>
    </>
  );
}
