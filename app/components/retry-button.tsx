import { Trans } from '@lingui/react/macro';
import { Button, type ButtonProps } from '@mantine/core';
import type { Ref } from 'react';
import { useUpdated } from '../console-update.ts';

/** Tries again what has failed; once the console was updated, only loading the page again may help. */
export function RetryButton({
  onRetry,
  ...props
}: ButtonProps & { onRetry: () => void; ref?: Ref<HTMLButtonElement> }) {
  const isUpdated = useUpdated();
  return (
    <Button {...props} onClick={isUpdated ? () => window.location.reload() : onRetry}>
      {isUpdated ? <Trans>Reload</Trans> : <Trans>Retry</Trans>}
    </Button>
  );
}
