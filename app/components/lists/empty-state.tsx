import { Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** An empty list: what it is, why it is useful, and the next step. */
export function EmptyState(props: { icon: Icon; title: ReactNode; children: ReactNode; action?: ReactNode }) {
  const { icon: IconComponent, title, children, action } = props;
  return (
    <Stack align="center" gap="sm" py={64} px="md" ta="center">
      <ThemeIcon size={44} radius="lg" variant="light" aria-hidden>
        <IconComponent size={22} stroke={1.6} />
      </ThemeIcon>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" maw={440} size="sm">
        {children}
      </Text>
      {action}
    </Stack>
  );
}
