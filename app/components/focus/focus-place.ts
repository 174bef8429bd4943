/** Whether nothing on the page has the focus: the next Tab would begin at its top. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Moves the focus to where Tab should continue, also to an element that is not focusable by itself. */
export function focusPlace(place: HTMLElement): void {
  if (place.tabIndex < 0) {
    const isOwn = place.hasAttribute('tabindex');
    place.tabIndex = -1;
    place.dataset.place = '';
    const forget = () => {
      if (!isOwn) place.removeAttribute('tabindex');
      delete place.dataset.place;
    };
    place.addEventListener('blur', forget, { once: true });
  }
  place.focus({ preventScroll: true });
  // It may stand below the top bar, or outside a small screen; what fills the screen is seen anyway.
  if (place.clientHeight < window.innerHeight / 2) place.scrollIntoView({ block: 'nearest' });
}
