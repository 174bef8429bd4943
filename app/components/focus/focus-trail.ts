const CONTROLS = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled)';
const DIALOG = '[role="dialog"], [role="menu"]';

/** One ancestor of the focused element, and its neighbours at that time. */
interface Step {
  element: Element;
  after: Element | null;
  before: Element | null;
}

/** The focused element with its ancestors, the nearest first. */
type Path = Step[];

/** Remembers where the focus was, and determines where it goes when that element is gone. */
export interface FocusTrail {
  note(element: Element): void;
  clear(): void;
  /** Returns where the focus goes now; null when it was nowhere, or was given up. */
  next(): HTMLElement | null;
}

/**
 * Returns an empty trail. It holds two places: the last one and, if that is in a dialog or menu, the last one outside,
 * which usually opened it.
 */
export function createFocusTrail(): FocusTrail {
  let last: Path | null = null;
  let opener: Path | null = null;
  return {
    note: (element) => {
      const path = pathOf(element);
      const wasOutside = last !== null && !isInDialog(last);
      if (wasOutside && isInDialog(path)) opener = last;
      else if (!isInDialog(path)) opener = null;
      last = path;
    },
    clear: () => {
      last = null;
      opener = null;
    },
    next: () => {
      if (last === null || isDisabled(last) || (opener && isDisabled(opener))) return null;
      const found = nearby(last);
      if (found && !isWholePage(found)) return found;
      return (opener && nearby(opener)) ?? pageHeading();
    },
  };
}

function pathOf(element: Element): Path {
  const path: Path = [];
  for (let at: Element | null = element; at && at !== document.body; at = at.parentElement)
    path.push({ element: at, after: at.nextElementSibling, before: at.previousElementSibling });
  return path;
}

function isInDialog(path: Path): boolean {
  return path.some(({ element }) => element.matches(DIALOG));
}

/** Whether it began at a control that is temporarily disabled: the focus waits for it. */
function isDisabled([own]: Path): boolean {
  return own !== undefined && isShown(own.element) && own.element.matches(':disabled');
}

/**
 * Returns the element itself when it can be used again, otherwise the neighbour of the outermost element that
 * is gone, otherwise the heading of its container, otherwise the container. Null when nothing around it is
 * left.
 */
function nearby(path: Path): HTMLElement | null {
  const left = path.findIndex(({ element }) => isShown(element));
  if (left === -1) return null;
  const [own] = path;
  if (left === 0 && own) return asTarget(own.element);
  const gone = path[left - 1];
  const around = path[left]?.element;
  if (!gone || !around) return null;
  for (const beside of [gone.after, gone.before]) {
    const control = beside && isShown(beside) && controlIn(beside);
    if (control) return control;
  }
  return headingIn(around) ?? asTarget(around);
}

/** Returns the first visible heading in an element. */
export function headingIn(element: Element): HTMLElement | null {
  return [...element.querySelectorAll<HTMLElement>('h1, h2')].find(isShown) ?? null;
}

function controlIn(element: Element): HTMLElement | null {
  const control = element.matches(CONTROLS)
    ? element
    : [...element.querySelectorAll(CONTROLS)].find((inner) => isShown(inner));
  return control instanceof HTMLElement ? control : null;
}

function isWholePage(element: Element): boolean {
  return (
    element.matches('main, main h1, #root') || element.parentElement === document.body || isLeftOver(element)
  );
}

/** Whether it belonged to a closed dialog: what is left of it is a place for the next one. */
function isLeftOver(element: Element): boolean {
  return (
    element.closest('[data-portal]') !== null && !element.closest(DIALOG) && !element.querySelector(DIALOG)
  );
}

function pageHeading(): HTMLElement | null {
  // One after the other: with one list of selectors, the first match in the document would be found, which is
  // the whole page.
  for (const selector of ['main h1', 'h1', 'main']) {
    const found = document.querySelector<HTMLElement>(selector);
    if (found) return found;
  }
  return null;
}

function isShown(element: Element): boolean {
  // A drawer that is shut takes up its place unseen.
  return element.isConnected && element.checkVisibility({ visibilityProperty: true });
}

function asTarget(element: Element): HTMLElement | null {
  return element instanceof HTMLElement ? element : null;
}
