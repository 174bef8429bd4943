import { afterEach, beforeEach, expect, vi } from 'vitest';

/** An unexpected console.error is a defect: the test that caused it fails. */
const spy = vi.spyOn(console, 'error');

beforeEach(() => {
  spy.mockClear();
});

afterEach(() => {
  expect(spy, 'console.error was called').not.toHaveBeenCalled();
});
