/** What would be lost with the page: fields that have been typed into since they appeared, and what others add. */
export const typed = new Set<Pick<HTMLInputElement, 'isConnected' | 'value'>>();

/** Starts recording which fields are typed into; returns a function that ends it. */
export function watchTyping(): () => void {
  const note = ({ target, isTrusted }: Event) => {
    const isText = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    if (!isTrusted || !isText || target.type === 'search') return;
    for (const field of typed) if (!field.isConnected) typed.delete(field);
    typed.add(target);
  };
  document.addEventListener('input', note, true);
  return () => document.removeEventListener('input', note, true);
}

/** Whether the page contains typed text that would be lost with it. */
export function hasTypedText(): boolean {
  return [...typed].some((field) => field.isConnected && field.value !== '');
}
