import axe from 'axe-core';
import type { Page } from 'playwright';

declare global {
  interface Window {
    axe: typeof axe;
  }
}

export const EVERYTHING: axe.RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** The rules that look at colours: all that can differ in dark. */
export const COLOURS: axe.RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/**
 * Returns what axe finds wrong with the page as it stands. A page is given axe once, however often it is looked at, and what
 * passes is not described: both cost more than the look itself.
 */
export async function findViolations(page: Page, runOnly: axe.RunOnly): Promise<axe.Result[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: axe.RunOptions = { runOnly, resultTypes: ['violations'] };
  return page.evaluate(async (given) => (await window.axe.run(document, given)).violations, options);
}
