import { useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

/** Returns a function that asks before something is done; it resolves to whether the person said yes. */
export function useConfirm() {
  const { t } = useLingui();
  return (question: {
    title: string;
    body: ReactNode;
    confirm: string;
    isDestructive?: boolean;
  }): Promise<boolean> =>
    new Promise((resolve) => {
      modals.openConfirmModal({
        title: question.title,
        children: (
          <Text size="sm" component="div">
            {question.body}
          </Text>
        ),
        labels: { confirm: question.confirm, cancel: t`Cancel` },
        confirmProps: question.isDestructive ? { color: 'red' } : {},
        closeButtonProps: { 'aria-label': t`Close` },
        onConfirm: () => resolve(true),
        onCancel: () => resolve(false),
        onClose: () => resolve(false),
      });
    });
}
