import { useEffect, useRef, useState } from 'react';

/**
 * Accepts drops anywhere on the page, so that a drop next to the target does not make the browser open the
 * file. Returns whether something is being dragged over the page.
 */
export function useWindowDrop(onDrop: (data: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    // Entering a child fires before leaving its parent: only the balance shows whether the pointer is still
    // here.
    let depth = 0;
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const over = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    };
    const drop = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      if (event.dataTransfer) latest.current(event.dataTransfer);
    };
    const listeners = { dragenter: enter, dragleave: leave, dragover: over, drop } as const;
    const names = ['dragenter', 'dragleave', 'dragover', 'drop'] as const;
    for (const name of names) window.addEventListener(name, listeners[name]);
    return () => {
      for (const name of names) window.removeEventListener(name, listeners[name]);
    };
  }, []);
  return isOver;
}
