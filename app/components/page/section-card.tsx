import { Card, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A card with a heading, an optional line of explanation and an optional action. */
export function SectionCard(props: {
  /** Of the heading, to which a link can lead. */
  id?: string;
  title: ReactNode;
  description?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Card component="section">
      <Group justify="space-between" align="flex-start" mb="md" gap="xs">
        {/* Where both have no room, the action goes below rather than squeezing the words. */}
        <div style={{ flex: '1 1 10rem', minWidth: 0 }}>
          <Title order={2} id={props.id}>
            {props.title}
          </Title>
          {props.description && (
            <Text size="sm" c="dimmed" mt={2}>
              {props.description}
            </Text>
          )}
        </div>
        {props.action && <div style={{ flex: 'none', maxWidth: '100%' }}>{props.action}</div>}
      </Group>
      {props.children}
    </Card>
  );
}
