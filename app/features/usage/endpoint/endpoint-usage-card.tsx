import { Trans } from '@lingui/react/macro';
import { Card, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** The card of an endpoint's usage metrics: its heading, the days they cover, and its controls. */
export function EndpointUsageCard(props: { days?: ReactNode; action?: ReactNode; children: ReactNode }) {
  return (
    <Card component="section">
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <div>
          <Title order={2}>
            <Trans>Usage metrics</Trans>
          </Title>
          <Text size="sm" c="dimmed" component="div" mt={2}>
            <Trans>Last 30 days</Trans>
            {props.days && <> · {props.days}</>}
          </Text>
        </div>
        {props.action}
      </Group>
      {props.children}
    </Card>
  );
}
