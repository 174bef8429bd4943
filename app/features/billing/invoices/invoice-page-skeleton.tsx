import { Trans } from '@lingui/react/macro';
import { Card, Group, Skeleton, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { BackToBilling } from '../back-to-billing.tsx';
import { SandboxNotice } from '../sandbox-notice.tsx';

/** The layout of an invoice while it is loading. */
export function InvoicePageSkeleton() {
  const { orgId = '' } = useParams({ strict: false });
  return (
    <>
      <BackToBilling organizationId={orgId} />
      <Stack gap="lg" role="status" aria-busy>
        <h1 className="visually-hidden">
          <Trans>Loading</Trans>
        </h1>
        <SandboxNotice />
        <Stack gap={8}>
          <Skeleton height={30} width={420} maw="90%" />
          <Skeleton height={18} width={140} />
        </Stack>
        <Group gap="xl">
          {[90, 120, 200].map((width) => (
            <Stack key={width} gap={6}>
              <Skeleton height={11} width={70} />
              <Skeleton height={15} width={width} />
            </Stack>
          ))}
        </Group>
        <Card>
          {[1, 2, 3, 4, 5, 6].map((row) => (
            <Skeleton key={row} height={18} my={16} />
          ))}
        </Card>
      </Stack>
    </>
  );
}
