import type { Page } from 'playwright';

/** Waits until React has hydrated what the server rendered: before that, a click would be lost. */
export async function waitUntilAlive(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const controls = [...document.querySelectorAll('a, button, input')];
    const isAlive = (control: Element) => Object.keys(control).some((key) => key.startsWith('__reactProps'));
    return controls.length > 0 && controls.every(isAlive);
  });
}
