import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/**
 * Returns the first entries of a list, or all of them, and the button that switches between the two: what follows a
 * long list stays in reach.
 */
export function useShortList<T>(
  entries: readonly T[],
  shownAtFirst: number,
): { shown: readonly T[]; toggle: ReactNode } {
  const [isWhole, setWhole] = useState(false);
  const toggle = entries.length > shownAtFirst && (
    <Button
      variant="subtle"
      size="compact-sm"
      mt="xs"
      // Its words begin where those of the list do.
      ml="calc(-1 * var(--button-padding-x-compact-sm))"
      aria-expanded={isWhole}
      onClick={() => setWhole(!isWhole)}
    >
      {isWhole ? <Trans>Show fewer</Trans> : <Trans>Show more</Trans>}
    </Button>
  );
  return { shown: isWhole ? entries : entries.slice(0, shownAtFirst), toggle };
}
