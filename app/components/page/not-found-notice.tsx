import { Trans } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** An id that does not exist, or is not ours: the two look the same. `back` is the link that leads on. */
export function NotFoundNotice(props: { title: ReactNode; back: ReactNode }) {
  return (
    <Stack align="flex-start" gap="md" maw={560}>
      <Title order={1}>{props.title}</Title>
      <Text c="dimmed">
        <Trans>It may have been deleted, or it belongs to another organization.</Trans>
      </Text>
      {props.back}
    </Stack>
  );
}
