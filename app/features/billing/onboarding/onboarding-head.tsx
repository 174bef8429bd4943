import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** What a step of onboarding is about. */
export function OnboardingHead({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div>
      <Title order={1}>{title}</Title>
      {children && (
        <Text c="dimmed" mt={6}>
          {children}
        </Text>
      )}
    </div>
  );
}
