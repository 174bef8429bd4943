import { Tooltip } from '@mantine/core';
import type { MouseEvent, ReactElement } from 'react';

interface ReasonedProps {
  'data-disabled'?: true;
  'aria-disabled'?: true;
  onClick(event: MouseEvent): void;
}

/**
 * An action that may be unavailable: with a `reason` it looks disabled and says why on hover and focus, which
 * a truly disabled button could not, because it cannot be focused.
 */
export function ReasonedAction(props: {
  reason: string | null;
  onAct?: () => void;
  children: (action: ReasonedProps) => ReactElement;
}) {
  const { reason, onAct, children } = props;
  if (reason === null) return children({ onClick: () => onAct?.() });
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }} multiline maw={260}>
      {children({ 'data-disabled': true, 'aria-disabled': true, onClick: (event) => event.preventDefault() })}
    </Tooltip>
  );
}
