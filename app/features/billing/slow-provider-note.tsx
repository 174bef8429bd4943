import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';

/** Longer than a payment provider takes on an ordinary day. */
const SLOW_AFTER_MS = 2_000;

/**
 * Says that the payment provider is slow, once it has not answered for a while; announced to screen readers.
 */
export function SlowProviderNote({ isPending }: { isPending: boolean }) {
  return <div role="status">{isPending && <LateNote />}</div>;
}

function LateNote() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isSlow) return null;
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        The payment provider is taking longer than usual. What you typed is kept; this can take up to a
        minute.
      </Trans>
    </Text>
  );
}
