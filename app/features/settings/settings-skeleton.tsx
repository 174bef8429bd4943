import { Trans } from '@lingui/react/macro';
import { Card, Group, Skeleton, Stack } from '@mantine/core';
import { PageHeader } from '../../components/page/page-header.tsx';

/** The layout of the settings page while it is loading. */
export function SettingsSkeleton() {
  return (
    <>
      <PageHeader
        title={<Trans>Settings</Trans>}
        subtitle={<Trans>These settings are yours: they are the same in every organization.</Trans>}
      />
      <Stack gap="lg" role="status" aria-busy>
        <span className="visually-hidden">
          <Trans>Loading</Trans>
        </span>
        <Card>
          <Group>
            <Skeleton circle height={56} />
            <Stack gap="xs">
              <Skeleton height={18} width={160} />
              <Skeleton height={14} width={200} />
            </Stack>
          </Group>
        </Card>
        <Card>
          <Skeleton height={22} width={120} />
          <Skeleton height={36} maw={320} mt="md" />
        </Card>
        <Card>
          <Skeleton height={22} width={120} />
          <Skeleton height={44} mt="md" />
          <Skeleton height={44} mt="sm" />
        </Card>
      </Stack>
    </>
  );
}
