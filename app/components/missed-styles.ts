/** The addresses of styles that could not be loaded: the build's loader asks for each of them once only. */
const missed = new Set<string>();

/** Remembers which styles could not be loaded, for {@link loadMissedStyles}. */
export function rememberMissedStyles(): void {
  // Errors of links do not bubble: they are seen on their way down.
  document.addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
      missed.add(target.href);
      target.remove();
    },
    true,
  );
}

/** Loads the styles that could not be loaded before, so that what is shown later is not bare. */
export function loadMissedStyles(): void {
  const hrefs = [...missed];
  missed.clear();
  for (const href of hrefs) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }));
  }
}
