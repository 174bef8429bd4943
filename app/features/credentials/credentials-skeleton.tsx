import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Card, Group, Skeleton, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { CredentialsHeader } from './credentials-header.tsx';

/** The layout of the credentials page while the list is loading. */
export function CredentialsSkeleton() {
  const { t } = useLingui();
  return (
    <>
      <CredentialsHeader
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} disabled>
            <Trans>Create credential</Trans>
          </Button>
        }
      />
      <Stack gap="md" aria-busy aria-label={t`Loading`} role="status">
        <span className="visually-hidden">
          <Trans>Loading</Trans>
        </span>
        {['first', 'second', 'third'].map((key) => (
          <Card key={key} padding="md">
            <Group justify="space-between">
              <Skeleton height={20} width={180} />
              <Skeleton height={28} width={60} />
            </Group>
            <Group gap="xl" mt="xs">
              <Skeleton height={44} width={240} />
              <Skeleton height={44} width={90} />
              <Skeleton height={44} width={90} />
            </Group>
            <Skeleton height={24} width={160} mt="sm" />
          </Card>
        ))}
      </Stack>
    </>
  );
}
