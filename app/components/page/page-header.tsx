import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** The head of a page: title, subtitle, and the page's main action at the end of the line. */
export function PageHeader(props: { title: ReactNode; subtitle?: ReactNode; actions?: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="lg">
      <Stack gap={4} miw={0}>
        <Title order={1} style={{ overflowWrap: 'break-word' }}>
          {props.title}
        </Title>
        {props.subtitle && (
          <Text c="dimmed" size="sm">
            {props.subtitle}
          </Text>
        )}
      </Stack>
      {props.actions && <Group gap="xs">{props.actions}</Group>}
    </Group>
  );
}
