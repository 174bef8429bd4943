import { expect, it } from 'vitest';
import { revealDirection } from './reveal-direction.ts';

it('shows a text in the order of its characters', () => {
  expect(revealDirection('Fix invoice\u202efdp.exe')).toBe('Fix invoice\ufffdfdp.exe');
  expect(revealDirection('\u2067b\u2069')).toBe('\ufffdb\ufffd');
  expect(revealDirection('Réglé : שלום')).toBe('Réglé : שלום');
});
