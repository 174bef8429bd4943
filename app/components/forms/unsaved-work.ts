/** What would be lost with the page, while it is connected and has a value: a field, or whatever has the same two properties. */
export interface UnsavedWork {
  readonly isConnected: boolean;
  readonly value: string;
}

/** Fields that have been typed into since they appeared, and what `addUnsavedWork` adds. */
export const unsavedWork = new Set<UnsavedWork>();

/** Starts recording which fields are typed into; returns a function that ends it. */
export function watchTyping(): () => void {
  const note = ({ target, isTrusted }: Event) => {
    const isText = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    if (!isTrusted || !isText || target.type === 'search') return;
    for (const work of unsavedWork) if (!work.isConnected) unsavedWork.delete(work);
    unsavedWork.add(target);
  };
  document.addEventListener('input', note, true);
  return () => document.removeEventListener('input', note, true);
}

/** Whether typed text or other work, such as an upload, would be lost with the page. */
export function hasUnsavedWork(): boolean {
  return [...unsavedWork].some((work) => work.isConnected && work.value !== '');
}
