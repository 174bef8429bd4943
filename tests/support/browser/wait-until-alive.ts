import type { Page } from 'playwright';

/** Waits until React has hydrated what the server rendered: before that, a click would be lost. */
export async function waitUntilAlive(page: Page): Promise<void> {
  const isAlive = () => {
    const controls = [...document.querySelectorAll('a, button, input')];
    const isHydrated = (control: Element) =>
      Object.keys(control).some((key) => key.startsWith('__reactProps'));
    return controls.length > 0 && controls.every(isHydrated);
  };
  // Not with each frame, which would have the page painted meanwhile.
  await page.waitForFunction(isAlive, undefined, { polling: 30 });
}
