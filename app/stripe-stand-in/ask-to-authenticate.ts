import { makeElement } from './make-element.ts';
import { applyLook, type Look, openPlace } from './style-sheet.ts';
import type { Words } from './words.ts';

/** Asks in a dialog what a bank would ask; closing it is a refusal. */
export function askToAuthenticate(words: Words, look: Look): Promise<'complete' | 'refuse'> {
  return new Promise((resolve) => {
    const host = makeElement('div');
    const place = openPlace(host);
    applyLook(host, look);
    const complete = makeElement('button', { type: 'button', class: 'main' }, [words.complete]);
    const refuse = makeElement('button', { type: 'button' }, [words.refuse]);
    const dialog = makeElement('dialog', { 'aria-labelledby': 'title', 'aria-describedby': 'text' }, [
      makeElement('h2', { id: 'title' }, [words.authenticationTitle]),
      makeElement('p', { id: 'text' }, [words.authenticationText]),
      makeElement('p', { class: 'quiet' }, [`${words.sandbox}.`]),
      makeElement('div', { class: 'answers' }, [refuse, complete]),
    ]);
    complete.addEventListener('click', () => dialog.close('complete'));
    refuse.addEventListener('click', () => dialog.close('refuse'));
    dialog.addEventListener('close', () => {
      host.remove();
      resolve(dialog.returnValue === 'complete' ? 'complete' : 'refuse');
    });
    place.append(dialog);
    document.body.append(host);
    dialog.showModal();
    complete.focus();
  });
}
