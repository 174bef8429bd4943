import { expect, it } from 'vitest';
import { addUnsavedWork } from './add-unsaved-work.ts';
import { hasUnsavedWork } from './unsaved-work.ts';

it('a page has unsaved work while any of it can be lost', () => {
  let isBusy = false;
  const endUpload = addUnsavedWork(() => isBusy);
  expect(hasUnsavedWork()).toBe(false);
  isBusy = true;
  expect(hasUnsavedWork()).toBe(true);
  const endDeploy = addUnsavedWork(() => true);
  endUpload();
  expect(hasUnsavedWork()).toBe(true);
  endDeploy();
  expect(hasUnsavedWork()).toBe(false);
});
