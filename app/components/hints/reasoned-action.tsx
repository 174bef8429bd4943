import { cloneElement, type MouseEvent, type ReactElement, type Ref, Suspense, useState } from 'react';
import { lazyPart } from '../lazy-parts/lazy-part.tsx';
import { useHint } from './use-hint.ts';

interface ReasonedProps {
  'data-disabled'?: true;
  'aria-disabled'?: true;
  onClick(event: MouseEvent): void;
  onPointerEnter?(): void;
  onFocus?(): void;
}

/** Most people may do everything: the library that places the hint is loaded when one is first shown. */
const ReasonHint = lazyPart(() => import('./reason-hint.tsx'), { isQuiet: true });

/**
 * An action that may be unavailable: with a `reason` it looks disabled and says why on hover and focus, which
 * a truly disabled button could not, because it cannot be focused.
 */
export function ReasonedAction(props: {
  reason: string | null;
  onAct?: () => void;
  /** A person reaches for it: what it opens can be fetched. */
  onIntent?: () => void;
  children: (action: ReasonedProps) => ReactElement;
}) {
  const { reason, onAct, onIntent, children } = props;
  if (reason === null) {
    const intent = onIntent && { onPointerEnter: onIntent, onFocus: onIntent };
    return children({ onClick: () => onAct?.(), ...intent });
  }
  return (
    <Unavailable reason={reason}>
      {children({ 'data-disabled': true, 'aria-disabled': true, onClick: (event) => event.preventDefault() })}
    </Unavailable>
  );
}

function Unavailable({ reason, children }: { reason: string; children: ReactElement }) {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const [isShown, hintProps] = useHint();
  // Safe: every action is a control that takes a ref and the handlers of its element.
  const action = children as ReactElement<{ ref?: Ref<HTMLElement>; 'aria-description'?: string }>;
  return (
    <>
      {cloneElement(action, { ref: setTarget, 'aria-description': reason, ...hintProps })}
      {isShown && target && (
        <Suspense fallback={null}>
          <ReasonHint reason={reason} target={target} />
        </Suspense>
      )}
    </>
  );
}
