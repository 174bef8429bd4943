import { type ComponentType, useEffect, useRef, useState } from 'react';
import { usePartFailure } from './use-part-failure.ts';

/**
 * Returns a component that is loaded when it is first needed, and null before that. When it cannot be loaded, the
 * person is told and `onFailure` is called, which should make `isWanted` false again.
 */
export function useLoadedWhen<Props>(
  isWanted: boolean,
  load: () => Promise<{ default: ComponentType<Props> }>,
  onFailure: () => void,
): ComponentType<Props> | null {
  const tellFailure = usePartFailure();
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  const fail = useRef(onFailure);
  fail.current = () => {
    tellFailure();
    onFailure();
  };
  const isMissing = Loaded === null;
  useEffect(() => {
    if (!isWanted || !isMissing) return;
    let isCurrent = true;
    load().then(
      ({ default: component }) => {
        if (isCurrent) setLoaded(() => component);
      },
      () => {
        if (isCurrent) fail.current();
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [isWanted, isMissing, load]);
  return Loaded;
}
