import { expect, it } from 'vitest';
import { lookForUpdate } from './console-update.ts';

it('a page whose rendering fails on the server looks for no update there', async () => {
  expect(await lookForUpdate()).toBe(false);
});
