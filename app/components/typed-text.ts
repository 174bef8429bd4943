/** Fields that somebody has typed into since they appeared. */
const typed = new Set<HTMLInputElement | HTMLTextAreaElement>();

/** Begins to note which fields are typed into; returns what ends it. */
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

/** Whether text stands on the page that would be lost with it. */
export function hasTypedText(): boolean {
  return [...typed].some((field) => field.isConnected && field.value !== '');
}
