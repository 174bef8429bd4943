import { Trans } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { BackToBilling } from '../back-to-billing.tsx';

/** An invoice that does not exist. */
export function InvoiceMissing() {
  return (
    <MissingScreen>
      <Text c="dimmed">
        <Trans>This invoice does not exist, or it belongs to another organization.</Trans>
      </Text>
    </MissingScreen>
  );
}

/** An invoice that could not be loaded. */
export function InvoiceFailed(props: { onRetry: () => unknown }) {
  return (
    <MissingScreen>
      <div style={{ alignSelf: 'stretch' }}>
        <ErrorNotice {...props}>
          <Trans>Failed to load invoice</Trans>
        </ErrorNotice>
      </div>
    </MissingScreen>
  );
}

function MissingScreen({ children }: { children: ReactNode }) {
  const { orgId = '' } = useParams({ strict: false });
  return (
    <Stack align="flex-start" gap="md" maw={560}>
      <Title order={1}>
        <Trans>Invoice Not Found</Trans>
      </Title>
      {children}
      <BackToBilling organizationId={orgId} />
    </Stack>
  );
}
