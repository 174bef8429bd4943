import type { Page } from 'playwright';
import { expect } from 'vitest';

/** Fails when a control of the page's main part, other than a link in a sentence, is less than 24 px high or wide to a pointer. */
export async function expectLargeTargets(page: Page): Promise<void> {
  expect(await page.evaluate(findSmallTargets)).toEqual([]);
}

/** Inside the page: returns the names of controls that are missed 11 px beside their middle. */
function findSmallTargets(): string[] {
  const REACH_PX = 11;
  const ownWordsOf = (element: Element | null) =>
    [...(element?.childNodes ?? [])].filter(
      ({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && textContent?.trim(),
    );
  const isInSentence = (control: Element) =>
    getComputedStyle(control).display === 'inline' && ownWordsOf(control.parentElement).length > 0;
  const isHidden = (element: Element | null): boolean =>
    element !== null && (getComputedStyle(element).clipPath !== 'none' || isHidden(element.parentElement));
  const isSmall = (control: Element) => {
    control.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { left, top, width, height } = control.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const isMissed = ([right = 0, down = 0]: number[]) => {
      const met = document.elementFromPoint(x + right, y + down);
      const labelled = met?.closest('label')?.control;
      return !(met && (control.contains(met) || labelled === control));
    };
    return [
      [0, -REACH_PX],
      [0, REACH_PX],
      [-REACH_PX, 0],
      [REACH_PX, 0],
    ].some(isMissed);
  };
  return [...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary)')]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }) && !isHidden(control))
    .filter((control) => !control.closest('[aria-hidden="true"]') && !isInSentence(control))
    .filter(isSmall)
    .map((control) => control.getAttribute('aria-label') ?? control.textContent ?? control.outerHTML);
}
